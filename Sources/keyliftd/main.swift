print("keyliftd")
