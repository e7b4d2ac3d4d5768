#!/usr/bin/python3
"""Moves what is lifted above the keyboard 20 points further, or as many as EXTRA= says."""

import os

import keylift

extra = float(os.environ.get("EXTRA", "20"))


@keylift.plugin("moveLayout", order=10)
def higher(question):
    """Puts its own offset in place of the one that is proposed, or that an earlier plugin answered."""
    offset = question["offset"]
    if offset["y"] == 0:
        return True  # nothing is lifted
    return {"x": offset["x"], "y": offset["y"] - extra}


higher.serve()
