print("keyliftctl")
