"""Completion as bash, zsh and fish have it: what each would offer for a line that ends at the cursor."""

from __future__ import annotations

import os
import pathlib
import pty
import subprocess
import tempfile
import threading

from support.client import TIMEOUT
from support.daemon import BINARIES

COMPLETIONS = pathlib.Path(__file__).resolve().parents[3] / "Completions"


class Shell:
    """A shell that knows the completions of this project, and finds its programs."""

    def __init__(self, directory: str, socket: str = "/nonexistent/keylift.sock") -> None:
        self.directory = directory
        self._home = tempfile.TemporaryDirectory()
        self.environment = {
            **os.environ, "PATH": f"{BINARIES}:{os.environ['PATH']}", "KEYLIFT_SOCKET": str(socket),
            "HOME": self._home.name, "LC_ALL": "C.UTF-8", "TERM": "dumb",
        }  # fmt: skip

    def offers(self, line: str) -> list[str]:
        """What could stand in place of the last word, without its closing `=` or space."""
        return sorted({word.rstrip(" =") for word in self.complete(line)} - {""})

    def complete(self, line: str) -> list[str]:
        """The same as the shell has it."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends it."""
        self._home.cleanup()

    def _run(self, *command: str) -> list[str]:
        result = subprocess.run(
            command, capture_output=True, text=True, env=self.environment, cwd=self.directory, timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert result.stderr == "", result.stderr
        return result.stdout.splitlines()


class Bash(Shell):
    """bash with bash-completion; words are cut as readline cuts them."""

    PROGRAM = """
source /usr/share/bash-completion/bash_completion
for file in "$1"/bash/*; do source "$file"; done
COMP_LINE=$2 COMP_POINT=${#2}
[[ $COMP_LINE == *' ' ]] && last=('') || last=()
mapfile -t COMP_WORDS < <(grep -oE '[=:]+|[^ =:]+' <<<"$COMP_LINE"); COMP_WORDS+=("${last[@]}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_$COMP_WORDS "$COMP_WORDS" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""

    def complete(self, line: str) -> list[str]:
        # compopt is for the readline that is not there.
        return self._run("bash", "--norc", "-c", f"compopt() {{ :; }}\n{self.PROGRAM}", "bash", str(COMPLETIONS), line)


class Fish(Shell):
    """fish, which can be asked."""

    PROGRAM = 'for file in $argv[1]/fish/*; source $file; end; complete -C "$argv[2]"'

    def complete(self, line: str) -> list[str]:
        offered = self._run("fish", "--no-config", "-c", self.PROGRAM, str(COMPLETIONS), line)
        words = [entry.split("\t")[0] for entry in offered]
        return [word.removeprefix(line.rsplit(" ", 1)[-1].partition("=")[0] + "=") for word in words]


class Zsh(Shell):
    """zsh on a terminal: it completes nowhere else."""

    STARTUP = """
PROMPT= LISTMAX=100000
unsetopt auto_list auto_menu beep
fpath=($COMPLETIONS/zsh $fpath)
autoload -Uz compinit && compinit -u -D
zstyle ':completion:*' verbose no
bindkey '^I' complete-word
compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
    local -a hits
    builtin compadd -O hits "$@"
    print -rl -u $OFFERS -- $hits
  fi
  builtin compadd "$@"
}
finish() { print -u $OFFERS .; comppostfuncs=(finish) }
comppostfuncs=(finish)
zle-line-init() { print -u $OFFERS . }
zle -N zle-line-init
"""

    def __init__(self, directory: str, socket: str = "/nonexistent/keylift.sock") -> None:
        super().__init__(directory, socket)
        (pathlib.Path(self._home.name) / ".zshrc").write_text(self.STARTUP)
        offers, writer = os.pipe()
        self._offers = os.fdopen(offers)
        self._terminal, theirs = pty.openpty()
        self.environment |= {"OFFERS": str(writer), "COMPLETIONS": str(COMPLETIONS)}
        self._process = subprocess.Popen(
            ["zsh", "-d", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, env=self.environment, cwd=directory,
            pass_fds=[writer], start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        os.close(writer)
        threading.Thread(target=self._drain, daemon=True).start()
        self._until_end(3 * TIMEOUT)  # compinit looks at a thousand files

    def _drain(self) -> None:
        # What it draws, which would fill the terminal.
        try:
            while os.read(self._terminal, 65536):
                pass
        except OSError:
            pass

    def _until_end(self, timeout: float = TIMEOUT) -> list[str]:
        watchdog = threading.Timer(timeout, self._process.kill)
        watchdog.start()
        words = []
        for word in self._offers:
            if word == ".\n":
                watchdog.cancel()
                return words
            words.append(word[:-1])
        raise AssertionError("zsh ended, or took too long")

    def complete(self, line: str) -> list[str]:
        os.write(self._terminal, b"\x15" + line.encode() + b"\t")  # Ctrl-U forgets the line before
        return self._until_end()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._offers.close()
        os.close(self._terminal)
        super().close()


ALL = {"bash": Bash, "zsh": Zsh, "fish": Fish}
