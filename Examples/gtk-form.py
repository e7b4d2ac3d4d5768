#!/usr/bin/python3
"""An address form in GTK 3 that makes room for the keyboard, as Keylift says.

    gtk-form.py [--full-screen]

It needs python3-gi, gir1.2-gtk-3.0 and the module keylift, and a window that begins at the screen's top left, as a
kiosk's does. Three things are to be done in any toolkit, and each is a function here:

- report: tell the daemon where the fields are, whenever they are elsewhere;
- follow: give the focus to the field that the daemon names, and to none if it names none;
- Lift.move: move the content by the offset, as long and along the curve that the daemon says.
"""

import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

import keylift  # noqa: E402

FIELDS = {  # id: label, purpose
    "name": ("Name", "name"),
    "street": ("Street", "normal"),
    "city": ("City", "normal"),
    "phone": ("Phone", "phone"),
    "email": ("E-mail", "email"),
    "note": ("Note", "normal"),
}

STYLE = b"""
window { background: #f4f1ea; }
label { color: #403c34; }
entry { border: 3px solid #b8b2a4; border-radius: 0; background: white; box-shadow: none; }
entry.edited { border-color: #c81e78; }
"""


def ease_in_out(x):
    """How far it is at a part x of the time: the cubic Bezier curve (0.42, 0) (0.58, 1)."""
    low, high = 0.0, 1.0
    for _ in range(20):
        t = (low + high) / 2
        if 3 * t * (1 - t) ** 2 * 0.42 + 3 * t * t * (1 - t) * 0.58 + t**3 < x:
            low = t
        else:
            high = t
    return 3 * t * t * (1 - t) + t**3


def origin(widget):
    """Where a widget's window is on the screen; 0, 0 on Wayland, where no application learns that."""
    window = widget.get_toplevel().get_window()
    return window.get_origin()[1:] if window else (0, 0)


class Lift(Gtk.Bin):
    """Holds the content at its full height, moved by an offset.

    A compositor that keeps windows off the keyboard (sway and other Wayland ones, for a window that is not
    full-screen) makes this window lower while the keyboard shows; for a full-screen window, and on X11 for a keyboard
    that reserves no place, it stays as it is. The offset is right for both, and is never applied twice, as long as the
    fields themselves do not move with the window's height: what is cut off the window's bottom is just what the
    keyboard would have covered. So the content keeps the height that the window has without a keyboard. Otherwise it
    would be squeezed as well as lifted, the daemon would be told of fields that are higher up, would lift less, and
    the form would go back and forth each time.
    """

    def __init__(self, content):
        super().__init__()
        self.add(content)
        self.full = (0, 0)  # the content's size
        self.keyboard = None  # as in the daemon's state
        self.y = self.start = self.end = 0.0
        self.began, self.duration, self.tick = 0, 0.0, 0

    def do_get_preferred_width(self):
        return self.get_child().get_preferred_width()

    def do_get_preferred_height(self):
        return 0, 0  # or GTK would not let the compositor make the window lower than the form

    def do_size_allocate(self, allocation):
        self.set_allocation(allocation)
        width, height = allocation.width, allocation.height
        _, window_y = origin(self)
        if self.keyboard and self.keyboard["phase"] != "hidden":
            # A window that ends where the keyboard begins has been made lower for it.
            frame = self.keyboard["frame"]
            if abs(window_y + height - frame["y"]) < 1:
                height += round(frame["height"])
        if width == self.full[0]:
            # The window may be told of the keyboard before we are, or of its end later.
            height = max(height, self.full[1])
        self.full = (width, height)
        place = Gdk.Rectangle()
        place.x, place.y = allocation.x, allocation.y + round(self.y)
        place.width, place.height = self.full
        self.get_child().size_allocate(place)

    def move(self, end, duration):
        """Moves the content from where it is, also if it is on its way, to an offset, within seconds."""
        if end == self.end:
            return  # it is there, or on its way
        self.start, self.end, self.duration = self.y, end, duration
        self.began = self.get_frame_clock().get_frame_time() if self.get_realized() else 0
        if duration > 0 and not self.tick:
            self.tick = self.add_tick_callback(self._step)
        elif duration <= 0:
            self._put(end)

    def _step(self, _, clock):
        passed = (clock.get_frame_time() - self.began) / 1_000_000
        part = ease_in_out(passed / self.duration) if 0 < passed < self.duration else float(passed > 0)
        self._put(self.start + (self.end - self.start) * part)
        if self.y != self.end:
            return GLib.SOURCE_CONTINUE
        self.tick = 0
        return GLib.SOURCE_REMOVE

    def _put(self, y):
        self.y = y
        self.queue_allocate()


class Form(Gtk.Window):
    """The window, and its scene."""

    def __init__(self):
        super().__init__(title="Address", decorated=False)
        self.entries, self.views = {}, []
        grid = Gtk.Grid(margin=14, row_spacing=12, column_spacing=14, row_homogeneous=True)
        for row, (name, (label, purpose)) in enumerate(FIELDS.items()):
            entry = Gtk.Entry(hexpand=True, vexpand=True, width_chars=10)
            entry.set_input_purpose(getattr(Gtk.InputPurpose, purpose.upper(), Gtk.InputPurpose.FREE_FORM))
            grid.attach(Gtk.Label(label=label, xalign=0), 0, row, 1, 1)
            grid.attach(entry, 1, row, 1, 1)
            self.entries[name] = entry
        self.lift = Lift(grid)
        self.add(self.lift)
        grid.connect("size-allocate", self.report)
        self.connect("configure-event", lambda *_: self.lift.queue_allocate())  # the window may be elsewhere
        self.connect("destroy", Gtk.main_quit)

        # Attached without views, which follow as soon as they have a place.
        self.scene = keylift.Scene("gtk-form")
        self.timer = 0
        GLib.io_add_watch(self.scene.fileno(), GLib.IO_IN, self.dispatch)
        self.follow(None)
        self.dispatch()

    def dispatch(self, *_):
        """Lets the client library work: when something has come, and when its time is up."""
        for state in self.scene.dispatch():
            self.follow(state)
        if self.scene.latest is None:
            self.follow(None)  # the daemon is away; the library tries again
        if self.timer:
            GLib.source_remove(self.timer)
        timeout = self.scene.timeout()
        self.timer = 0 if timeout is None else GLib.timeout_add(int(timeout * 1000) + 1, self.time_is_up)
        return GLib.SOURCE_CONTINUE

    def time_is_up(self):
        self.timer = 0
        self.dispatch()
        return GLib.SOURCE_REMOVE

    def report(self, *_):
        """Tells the daemon where the fields are on the screen without the offset; the library sends what differs."""
        x, y = origin(self)
        views = []
        for name, entry in self.entries.items():
            place = entry.get_allocation()  # in the window
            frame = x + place.x, y + place.y - round(self.lift.y), place.width, place.height
            key = "done" if name == "note" else "next"
            views.append(keylift.text_input(name, *frame, purpose=FIELDS[name][1], returnKey=key))
        if views != self.views:
            self.views = views
            self.scene.set(*views)

    def follow(self, state):
        """Does as the daemon's state says; None while there is no daemon."""
        focused = self.entries.get(state["focused"]) if state else None
        for entry in self.entries.values():
            # One alone decides who has the focus, and that is the daemon: else GTK would give it by a touch or Tab to
            # a field that the daemon refuses. Without a daemon GTK has to.
            entry.set_can_focus(state is None or entry is focused)
            style = entry.get_style_context()
            style.add_class("edited") if entry is focused else style.remove_class("edited")
        if focused is None:
            if state:
                self.set_focus(None)
        elif not focused.is_focus():
            focused.grab_focus_without_selecting()
        self.lift.keyboard = state and state["keyboard"]
        self.lift.queue_allocate()
        if state:
            self.lift.move(state["layout"]["offset"]["y"], state["layout"]["duration"])
        else:
            self.lift.move(0.0, 0.0)


def main():
    style = Gtk.CssProvider()
    style.load_from_data(STYLE)
    Gtk.StyleContext.add_provider_for_screen(
        Gdk.Screen.get_default(), style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION
    )
    form = Form()
    form.fullscreen() if "--full-screen" in sys.argv[1:] else form.maximize()
    form.show_all()
    form.set_focus(None)
    Gtk.main()


main()
