"""Some clients with one scene each, driven by lines on the standard input; every line goes to all of them.

driver.py COUNT SCENE [touches]: as the one in C, whose comment says what goes in and comes out.
"""

import functools
import json
import select
import sys
import time

import keylift

PHASES = {"hidden": 0, "willShow": 1, "shown": 2, "willHide": 3}
TOUCHES = {"began": 0, "moved": 1, "ended": 2, "cancelled": 3}


def tell(*words):
    print(*words)


def tell_error(number, error):
    tell(number, "error", error.name, json.dumps(error.parameters, separators=(",", ":")))


def tell_touch(number, touch):
    tell(number, "touch", TOUCHES[touch["phase"]], touch.get("view") or "-")


def tell_state(number, state):
    focused = state.get("focused") or "-"
    offset = f"{state['layout']['offset']['y']:g}"
    phase = PHASES[state["keyboard"]["phase"]]
    at = f"{time.monotonic():.6f}"
    tell(number, "state", at, state["instance"], state["revision"], focused, offset, phase)


def run(client, word, rest):
    if word == "set":
        client.set(*json.loads(rest))
    elif word == "frame":
        client.set_frame(keylift.rect(*map(float, rest.split())))
    elif word == "resign":
        client.resign()
    else:
        getattr(client, word)(rest)


def main():
    count, scene = int(sys.argv[1]), json.loads(sys.argv[2])
    clients = []
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    for number in range(count):
        on_touch = functools.partial(tell_touch, number) if len(sys.argv) > 3 else None
        client = keylift.Scene(**scene, on_touch=on_touch)
        client.on_error = functools.partial(tell_error, number)
        clients.append(client)
        poll.register(client, select.POLLIN)
    while True:
        for number, client in enumerate(clients):
            for state in client.dispatch():
                tell_state(number, state)
        sys.stdout.flush()
        timeouts = [timeout for client in clients if (timeout := client.timeout()) is not None]
        ready = poll.poll(int(min(timeouts) * 1000) + 1 if timeouts else None)
        if sys.stdin.fileno() in dict(ready):
            line = sys.stdin.buffer.raw.readline().decode()
            if not line:
                return
            word, _, rest = line.strip().partition(" ")
            for number, client in enumerate(clients):
                try:
                    run(client, word, rest)
                except (KeyError, ValueError) as error:
                    tell(number, "failed", repr(error))


main()
