"""The command line: what is run for its words, and how each end of it becomes an exit status.

Nothing heavy is imported before it is known to be wanted: ``--version`` and ``--help`` load neither
NumPy nor Qt, a report as text no matplotlib, and only the window loads Qt.
"""

import os
import sys
import traceback
from collections.abc import Callable, Sequence

from mhagui.commands import animate, export, report, window
from mhagui.commands.output import complain
from mhagui.commands.shared import BAD_INPUT, BUG, INTERRUPTED, OK, ended_by_signals
from mhagui.errors import UserError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with ``argv``, or the process's own arguments; return the exit status."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    # A notebook has it for what it starts. matplotlib would look for a backend that is not here;
    # ours draw on no screen.
    os.environ.pop("MPLBACKEND", None)
    try:
        return _run(arguments)
    except UserError as error:
        return complain(str(error), BAD_INPUT)
    except SystemExit as stop:  # how argparse ends after --help, and a command after a signal
        return stop.code if isinstance(stop.code, int) else OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has had enough
        return OK
    except ImportError:
        raise  # mhagui.__main__ tells a missing package from a bug
    except OSError as error:
        return complain(_os_sentence(error), BAD_INPUT)
    except MemoryError:
        return complain("That takes more memory than there is.", BAD_INPUT)
    except Exception as error:  # noqa: BLE001 - the last resort of the program
        return _report_bug(error)


def _run(arguments: list[str]) -> int:
    commands: dict[str, Callable[[list[str]], int]] = {
        "report": report.run,
        "export": export.run,
        "animate": animate.run,
    }
    if arguments and arguments[0] in commands:
        with ended_by_signals():
            return commands[arguments[0]](arguments[1:])
    return window.open_window(arguments)


def _report_bug(error: Exception) -> int:
    from mhagui.fault_log import DEBUG_VARIABLE, FaultLog, trace_of
    from mhagui.home import own_home

    if os.environ.get(DEBUG_VARIABLE) and sys.stderr is not None:
        traceback.print_exception(error)
    log = FaultLog(own_home().logs)
    log.write(trace_of(error))
    log.close()
    what = f"{type(error).__name__}: {error}"
    advice = f"with {DEBUG_VARIABLE}=1 set it prints where"
    where = f"{log.path} says where" if log.path.is_file() else advice
    return complain(f"this is a bug, {what}; {where}.", BUG)


def _os_sentence(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}."
