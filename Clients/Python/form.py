#!/usr/bin/env python3
"""A form of two fields, as an application has it: prints where it is to move, and which field is edited."""

import keylift

views = [
    keylift.text_input("name", 40, 40, 720, 60, returnKey="next"),
    keylift.text_input("city", 40, 380, 720, 60, returnKey="done"),
]

with keylift.Scene("form", views) as scene:
    for state in scene:
        keyboard, layout = state["keyboard"], state["layout"]
        print(
            f"focus: {state['focused'] or 'nothing'}, keyboard: {keyboard['phase']},",
            f"move by {layout['offset']['y']} in {layout['duration']} s",
            flush=True,
        )
