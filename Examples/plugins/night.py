#!/usr/bin/python3
"""Keeps the keyboard closed at night: fields are focused as ever, and nothing comes up.

NIGHT=22-6 is from 22:00 to 6:00 on the machine's own clock; 0-24 is always.
"""

import os
import time

import keylift

begins, ends = (int(hour) for hour in os.environ.get("NIGHT", "22-6").split("-"))


@keylift.plugin("showKeyboard")
def night(question):
    """Refuses to show the keyboard between those hours."""
    hour = time.localtime().tm_hour
    is_night = begins <= hour < ends if begins < ends else hour >= begins or hour < ends
    return not is_night


night.serve()
