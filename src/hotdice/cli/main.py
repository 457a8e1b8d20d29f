"""The ``hotdice`` command."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from hotdice.cli.output import print_json
from hotdice.core.errors import HotDiceError

_LONGEST = 600

app = typer.Typer(
    name="hotdice",
    help="Push-your-luck dice games: play, keep score, be coached, solve.",
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="The game, as 'hotdice games' lists it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Objective = Annotated[
    str | None,
    typer.Option(
        "--objective",
        metavar="WHAT",
        help="win or points; for Peruke One also peruke, at_least and series.",
    ),
]
Goal = Annotated[
    int | None,
    typer.Option("--goal", metavar="N", help="Points to reach (at_least) or beat (series)."),
]
OfGame = Annotated[
    str | None, typer.Argument(metavar="[GAME]", help="Only the solutions of this game.")
]
Clear = Annotated[bool, typer.Option("--clear", help="Delete them.")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="OPTION=VALUE", help="Change an option; may be repeated."),
]


def _version(*, wanted: bool) -> None:
    if wanted:
        from hotdice import __version__  # noqa: PLC0415 - rarely asked for

        typer.echo(f"hotdice {__version__}")
        raise typer.Exit


@app.callback()
def hotdice(
    context: typer.Context,
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda value: _version(wanted=value),
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """Push-your-luck dice games: play, keep score, be coached, solve."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def games(*, as_json: Json = False) -> None:
    """List the games."""
    from hotdice.cli import listing  # noqa: PLC0415 - each command loads only itself

    listing.list_games(as_json=as_json)


@app.command()
def rules(game: GameName, *, as_json: Json = False) -> None:
    """Show a game's rules and options."""
    from hotdice.cli import listing  # noqa: PLC0415 - each command loads only itself

    listing.show_rules(game, as_json=as_json)


@app.command(context_settings={"ignore_unknown_options": True})
def score(
    game: GameName,
    dice: Annotated[
        list[str],
        typer.Argument(
            metavar="DICE",
            help="A roll as '1 1 5 2 3 4' or '115234', or several rolls one after the other; "
            "named dice as 'black 25 10 green flat'; '/' separates rolls.",
        ),
    ],
    *,
    sets: Sets = None,
    as_json: Json = False,
) -> None:
    """List every way to use a roll, best first."""
    from hotdice.cli import scoring  # noqa: PLC0415 - each command loads only itself

    scoring.score(game, dice, sets or [], as_json=as_json)


@app.command()
def play(
    game: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", help="The game; not needed to resume a saved one."),
    ] = None,
    *,
    seats: Annotated[
        list[str] | None,
        typer.Option(
            "--seat",
            metavar="NAME[=bot:LEVEL]",
            help="A player, or a bot: random, greedy, casual, sharp or perfect.",
        ),
    ] = None,
    first: Annotated[
        str | None,
        typer.Option("--first", metavar="NAME", help="Who goes first, unless the rules decide."),
    ] = None,
    sets: Sets = None,
    seed: Annotated[
        str | None, typer.Option("--seed", help="Roll the same virtual dice every time.")
    ] = None,
    dice: Annotated[
        str | None,
        typer.Option("--dice", metavar="seeded|typed", help="Virtual dice, or real ones typed in."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Save after every event; resume if it exists."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Play a game in this terminal."""
    from hotdice.cli import playing  # noqa: PLC0415 - each command loads only itself

    arguments = playing.Arguments(game, seats or [], sets or [], first, seed, dice)
    playing.play(arguments, save, as_json=as_json)


@app.command()
def replay(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A saved game.")],
    *,
    as_json: Json = False,
) -> None:
    """Replay a saved game, move by move."""
    from hotdice.cli import replaying  # noqa: PLC0415 - each command loads only itself

    replaying.replay(record, as_json=as_json)


@app.command()
def analyse(
    records: Annotated[
        list[Path], typer.Argument(metavar="RECORD...", help="A saved game, or several.")
    ],
    *,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Save the report as a page in one file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what was luck and what was skill in a saved game."""
    from hotdice.cli import analysing  # noqa: PLC0415 - each command loads only itself

    analysing.analyse_files(records, as_json=as_json, html=html)


@app.command()
def verify(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A saved game.")],
    *,
    as_json: Json = False,
) -> None:
    """Check every die of a game with verified dice."""
    from hotdice.cli import verifying  # noqa: PLC0415 - each command loads only itself

    verifying.verify_file(record, as_json=as_json)


@app.command()
def solve(
    game: GameName,
    *,
    objective: Objective = None,
    scores: Annotated[
        str | None,
        typer.Option(
            "--scores", metavar="OWN,OTHER", help="Recorded scores of two players, yours first."
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option("--place", metavar="first|second", help="Your place in the round (Rogue)."),
    ] = None,
    goal: Goal = None,
    sets: Sets = None,
    as_json: Json = False,
) -> None:
    """Solve a game exactly: expected points, or the chance to win under best play."""
    from hotdice.cli import solving  # noqa: PLC0415 - each command loads only itself

    wanted = solving.Wanted(objective, scores, place, goal)
    solving.solve(game, wanted, sets or [], as_json=as_json)


@app.command()
def advise(
    game: GameName,
    state: Annotated[
        list[str],
        typer.Argument(
            metavar="STATE", help="A state as text: scores=0,0 phase=choose tray=112355"
        ),
    ],
    *,
    objective: Objective = None,
    goal: Goal = None,
    first_solve: Annotated[
        bool, typer.Option("--solve", help="Solve the game first if it is not solved yet.")
    ] = False,
    sets: Sets = None,
    as_json: Json = False,
) -> None:
    """Rank every legal choice at a state, with what each is worth and why."""
    from hotdice.cli import solving  # noqa: PLC0415 - each command loads only itself

    wanted = solving.Wanted(objective, None, None, goal)
    solving.give_advice(game, state, wanted, sets or [], first_solve=first_solve, as_json=as_json)


@app.command()
def solutions(
    game: OfGame = None,
    *,
    clear: Clear = False,
    as_json: Json = False,
) -> None:
    """List or delete the solved games kept on this machine."""
    from hotdice.cli import solving  # noqa: PLC0415 - each command loads only itself

    solving.show_solutions(game, clear=clear, as_json=as_json, word="solutions")


@app.command(hidden=True)
def tables(
    game: OfGame = None,
    *,
    clear: Clear = False,
    as_json: Json = False,
) -> None:
    """List or delete solutions; the former name of 'hotdice solutions'."""
    from hotdice.cli import solving  # noqa: PLC0415 - each command loads only itself

    solving.show_solutions(game, clear=clear, as_json=as_json, word="tables")


@app.command()
def serve(
    *,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; 0.0.0.0 for all.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", help="The port to listen on; 8000 by default.")
    ] = None,
    db: Annotated[
        str,
        typer.Option(
            "--db",
            metavar="URL",
            help="sqlite:///FILE or postgresql://USER@HOST/NAME; "
            "by default a file in your data folder.",
        ),
    ] = "",
    workers: Annotated[
        int, typer.Option("--workers", help="Server processes; several need PostgreSQL.")
    ] = 1,
    log: Annotated[
        str,
        typer.Option("--log", metavar="STYLE", help="text or json; by default text on a terminal."),
    ] = "",
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=NUMBER",
            help="Change a limit, 0 removes it; docs/serving.md lists them. May be repeated.",
        ),
    ] = None,
    public: Annotated[
        list[str] | None,
        typer.Option(
            "--public",
            metavar="URL",
            help="The public address of a proxy in front, such as https://NAME; may be repeated.",
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            metavar="ADDRESS",
            help="A proxy whose X-Forwarded headers are trusted; may be repeated.",
        ),
    ] = None,
    lan: Annotated[
        bool, typer.Option("--lan", help="Let others in the same network in, by their browsers.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--open", help="Open a browser, at a free port if 8000 is taken.")
    ] = False,
) -> None:
    """Run the server: the browser client, and tables for remote players."""
    from hotdice.cli import serving  # noqa: PLC0415 - each command loads only itself

    serving.serve(
        host,
        port,
        db,
        workers,
        log,
        limits=limit or (),
        public=public or (),
        proxies=proxy or (),
        lan=lan,
        show=show,
    )


def run() -> None:
    """Run the command; user errors print one sentence and exit with code 2."""
    _open_streams()
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except HotDiceError as error:
        _refuse(str(error))
    except typer.TyperException as error:
        _refuse(error.format_message())
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        _refuse(f"{error.filename or 'The output'} cannot be used: {error.strerror}.")
    sys.exit(code if isinstance(code, int) else 0)


def _open_streams() -> None:
    """Replace closed streams, and print characters that cannot be encoded as question marks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - stays open
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _refuse(sentence: str) -> None:
    plain = "".join(
        letter if letter.isprintable() else "\ufffd" for letter in " ".join(sentence.split())
    )
    shown = plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
    if "--json" in sys.argv:
        print_json({"error": shown})
    sys.stderr.write(f"hotdice: {shown}\n")
    sys.exit(2)
