#!/usr/bin/python3
"""Appends a line to a file whenever the keyboard has been shown or hidden: the time, which, and why.

log-shows [FILE]; without one, shows.log in the directory that systemd gives the service.
"""

import os
import sys
import time

import keylift

path = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("STATE_DIRECTORY", ".") + "/shows.log"
words = {"keyboardDidShow": "shown", "keyboardDidHide": "hidden"}

# An observer is a client like any other: nothing waits for it, and it refuses nothing.
with keylift.Monitor(*words) as monitor, open(path, "a", buffering=1) as log:
    for state in monitor:
        for notification in state["notifications"]:
            if notification in words:
                now = time.strftime("%Y-%m-%dT%H:%M:%S%z")
                print(now, words[notification], state["keyboard"]["reason"], file=log)
