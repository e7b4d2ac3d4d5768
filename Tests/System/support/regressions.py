"""Makes Tests/Recordings with the real daemon: python -m support.regressions DIRECTORY."""

from __future__ import annotations

import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable

from support.client import TIMEOUT, Client, Monitor
from support.daemon import BINARIES, Daemon
from support.scenes import FIELD, OUTSIDE, field, form, rect
from support.umockdev import MockPanel

Play = Callable[[Daemon, MockPanel, Monitor], None]


def record(file: pathlib.Path, panel: MockPanel, height: int, before: Play, play: Play) -> None:
    """Records what is played, after what was before, with a keyboard of a height."""
    daemon = Daemon(f"[Screen main]\nSize=800x480\n[Keyboard]\nHeight={height}\n")
    try:
        monitor = daemon.client.monitor()
        monitor.wait_for_device(panel.path)
        before(daemon, panel, monitor)
        process = subprocess.Popen(
            [BINARIES / "keyliftctl", "--socket", str(daemon.socket), "record", "--force", str(file)],
            stderr=subprocess.PIPE,
            text=True,
        )
        process.stderr.readline()
        play(daemon, panel, monitor)
        process.send_signal(signal.SIGINT)
        print(process.stderr.read().strip())
        assert process.wait(TIMEOUT) == 0
    finally:
        daemon.stop()


def middle(daemon: Daemon, panel: MockPanel, monitor: Monitor) -> None:
    """A finger is down, and the keyboard on its way."""
    daemon.scene = daemon.client.attach(form(field("name", 400), field("town", 100, returnKey="next")))
    monitor.replies_to("sceneAttached")
    touches = daemon.client.touches(daemon.scene.latest["scene"])
    panel.tap(*FIELD)
    panel.down(*OUTSIDE)
    while touches.next()["position"]["y"] != OUTSIDE[1]:
        pass


def taps(daemon: Daemon, panel: MockPanel, monitor: Monitor) -> None:
    """Taps, and what clients and a driver ask for."""
    monitor.replies_to("keyboardDidShow")
    panel.up()
    monitor.replies_to("keyboardDidHide")
    scene = daemon.scene.latest["scene"]
    driver = daemon.client.stream("io.keylift.Keyboard.Drive", name="maliit")
    panel.tap(400, 120)
    monitor.replies_to("keyboardDidShow")
    driver.next()
    daemon.client.call(
        "io.keylift.Keyboard.Report", driver=driver.latest["driver"], visible=True,
        frame=rect(0, 300, 800, 180), docked=True, order=driver.latest["order"],
    )  # fmt: skip
    monitor.replies_to("keyboardDidChangeFrame")
    daemon.client.call("io.keylift.Scene.Update", scene=scene, set=[field("name", 440)], remove=["town"])
    monitor.replies_to("focusChanged")
    daemon.client.call("io.keylift.Scene.Focus", scene=scene, view="name")
    monitor.replies_to("keyboardDidShow")
    control = Client(daemon.socket.with_name("control.sock"))
    control.call("io.keylift.Control.SetRotation", screen="main", rotation=90)
    monitor.replies_to("screenChanged")
    driver.close()
    monitor.replies_to("keyboardDidHide")
    daemon.scene.close()
    monitor.replies_to("sceneGone")


def page(daemon: Daemon, panel: MockPanel, monitor: Monitor) -> None:
    """An input in a scroll view has the keyboard."""
    scroll = {"id": "page", "kind": "scroll", "frame": rect(0, 0, 800, 480), "dismissMode": "onDrag"}
    scroll["contentSize"] = {"width": 800, "height": 2000}
    views = [scroll, field("name", 420, parent="page")]
    daemon.scene = daemon.client.attach({"name": "page", "avoidance": "scroll", "views": views})
    monitor.replies_to("sceneAttached")
    scene = daemon.scene.latest["scene"]
    daemon.client.call("io.keylift.Scene.Focus", scene=scene, view="name")
    monitor.replies_to("keyboardDidShow")


def drag(daemon: Daemon, panel: MockPanel, monitor: Monitor) -> None:
    """The drag of the panel that was recorded."""
    touches = daemon.client.touches(daemon.scene.latest["scene"])
    panel.replay("atmel-maxtouch.drag.events")
    monitor.replies_to("keyboardDidHide")
    touches.until("ended")


def main() -> None:
    """Both, one after the other: there is one testbed at a time."""
    folder = pathlib.Path(sys.argv[1])
    panel = MockPanel()
    record(folder / "taps.keylift", panel, 192, middle, taps)
    panel.destroy()
    panel = MockPanel("atmel-maxtouch")
    # So low that the drag begins above it.
    record(folder / "drag.keylift", panel, 80, page, drag)
    panel.destroy()


if __name__ == "__main__":
    main()
