"""Tables in a real browser: together, apart, interrupted, on real dice, coached."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Page, Request, Route, WebSocketRoute, expect

import hotdice.server
from hotdice import game_names, game_type
from tests.web.conftest import PHONE, Opener
from tests.web.playing import (
    click_choice,
    click_through,
    enabled,
    moved_on,
    over,
    seq,
    settled,
    shown,
)
from tests.web.serving import Server
from tests.web.tables import SHORT, advised, created, seed_for

pytestmark = pytest.mark.asyncio(loop_scope="session")

NASTY = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize("slug", game_names())
async def test_play_now_puts_dice_on_the_screen_with_one_question(sit: Opener, slug: str) -> None:
    async with sit("/", speed="normal") as page:
        button = page.get_by_role("button", name=f"Play now {game_type(slug).title}")
        await button.wait_for()  # by then, all that the page asks of itself is asked
        asked: list[str] = []

        def note(request: Request) -> None:
            if "/api/" in request.url:
                asked.append(f"{request.method} {request.url.partition('/api')[2]}")

        page.on("request", note)
        await page.route("**/api/tables", without_coach)
        await button.click()
        await page.locator(".tray .slot, .told").first.wait_for()
        assert asked[:1] == ["POST /tables"]
        assert len(asked) <= 2
        await page.locator(".tray .slot").first.wait_for()


async def without_coach(route: Route) -> None:
    """Set a table up as asked, but with no coach, who would have the chances to win solved."""
    await route.continue_(post_data={**(route.request.post_data_json or {}), "coach": False})


async def test_the_first_page_is_light() -> None:
    static = Path(hotdice.server.__file__).parent / "static"
    page = (static / "index.html").read_text("utf-8")
    first = re.findall(r'(?:src|href)="/(assets/[^"]+\.js)"', page)
    assert first
    seen: set[str] = set()
    while first:
        name = first.pop()
        if name not in seen:
            seen.add(name)
            text = (static / name).read_text("utf-8")
            first += [
                f"assets/{found}"
                for found in re.findall(r'(?:from|import)\s*"\./([^"]+\.js)"', text)
            ]
    size = sum(len(gzip.compress((static / name).read_bytes())) for name in seen)
    assert size < 100_000
    whole = sum(len(gzip.compress(path.read_bytes())) for path in static.glob("assets/*.js"))
    assert whole < 100_000


async def test_two_browsers_at_one_table(sit: Opener) -> None:
    """The host invites, a guest takes the open seat by the link, they play to the end."""
    async with (
        sit("/new/farkle") as host,
        sit("/", expected=("422",)) as guest,
        sit("/") as spectator,
    ):
        await host.get_by_label("Name").first.fill("Ann")
        await host.get_by_label("Seat 2").select_option("link")
        await host.get_by_label("The coach may be asked").uncheck()
        await host.get_by_text("House rules").click()
        await host.locator("#option-entry").fill("0")
        await host.locator("#option-target").fill("200")
        await host.get_by_role("button", name="Open the table").click()
        link = await host.get_by_label("Send this link").input_value()
        await expect(host.get_by_role("img", name="QR code")).to_be_in_viewport(ratio=1)
        await guest.goto(link)
        await spectator.goto(link)
        await guest.get_by_label("Your name").fill("ann")
        await guest.get_by_role("button", name="Take a seat").click()
        await expect(guest.get_by_role("alert")).to_contain_text("another name")
        await guest.get_by_label("Your name").fill(NASTY)
        await guest.get_by_role("button", name="Take a seat").click()
        people = [host, guest]
        for page in (*people, spectator):
            await page.locator(".felt").wait_for()
        for _ in range(200):
            await shown(host)
            if await over(host).count():
                break
            acting = guest if await host.locator(".waiting").count() else host
            await settled(acting)
            seen = await seq(acting)
            if await acting.locator("button.big").count():
                await acting.locator("button.big").click()
            else:
                await click_choice(acting)
            for page in people:
                await moved_on(page, seen)
        for page in (*people, spectator):
            await expect(over(page)).to_be_visible()
            await expect(page.get_by_label("Scores")).to_contain_text(NASTY)
        await expect(spectator.get_by_role("button", name="Play again")).to_have_count(0)
        await guest.get_by_role("button", name="Play again").click()
        await expect(host.locator("header")).to_contain_text("game 2")
        assert await guest.locator("img[src=x]").count() == 0


async def test_words_are_heard_and_harmless(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await page.get_by_role("tab", name="Log").click()
        await page.get_by_label("Say something").fill(NASTY)
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("What has happened")).to_contain_text(f"Ann: {NASTY}")


async def test_words_take_nothing_away(sit: Opener) -> None:
    """What others say neither clears my selection nor makes my choice come too late."""
    async with sit("/") as ann, sit("/") as ben:
        table = await created(ann)
        await ann.goto(f"/t/{table['id']}")
        await ben.goto(f"/t/{table['id']}#{table['seats'][1]['secret']}")
        await settled(ann)
        await ann.locator("#beside li button").first.click()
        chosen = await ann.locator(".tray .slot[aria-pressed=true]").count()
        await ben.get_by_role("tab", name="Log").click()
        await ben.get_by_label("Say something").fill("hurry up")
        await ben.keyboard.press("Enter")
        await expect(ann.locator(".said")).to_contain_text("hurry up")
        assert await ann.locator(".tray .slot[aria-pressed=true]").count() == chosen > 0
        await expect(ann.locator(".told")).to_contain_text("rolls")


async def test_words_leave_real_dice_where_they_are_and_go_after_a_while(sit: Opener) -> None:
    async with sit("/", size=PHONE) as ann, sit("/") as ben:
        table = await created(ann, dice="typed")
        await ann.clock.install()
        await ann.goto(f"/t/{table['id']}")
        await ben.goto(f"/t/{table['id']}#{table['seats'][1]['secret']}")
        for face in "115":
            await ann.get_by_role("button", name=face, exact=True).click()
        await ben.get_by_role("tab", name="Log").click()
        await ben.get_by_label("Say something").fill("w" * 200)
        await ben.keyboard.press("Enter")
        await expect(ann.locator(".said")).to_contain_text("www")
        assert await ann.get_by_role("button", name="tap to clear").count() == 3
        for page in (ann, ben):
            assert await page.evaluate(
                "document.scrollingElement.scrollWidth <= innerWidth"
            )  # a long word is broken
        await ann.clock.fast_forward(13_000)
        await expect(ann.locator(".said")).to_have_count(0)


async def test_words_wait_for_the_line_and_the_log_is_closed_by_a_key(
    sit: Opener, own: Server
) -> None:
    async with sit("/", size=PHONE, home=own.url, expected=CUT) as page:
        table = await created(page)
        await page.clock.install()
        await page.goto(f"/t/{table['id']}")
        await page.get_by_role("button", name="Log", exact=True).click()
        field = page.get_by_label("Say something")
        await field.fill("are you there?")
        await stop_time(page)
        own.kill()
        await expect(page.get_by_text("reconnecting…")).to_be_visible()
        await field.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("Try again in a moment")
        await expect(field).to_have_value("are you there?")
        own.start()
        await page.clock.run_for(LONGEST_WAIT)
        await expect(page.get_by_text("reconnecting")).to_have_count(0)
        await field.press("Enter")
        log = page.get_by_label("What has happened")
        await expect(log).to_contain_text("Ann: are you there?")
        await field.press("Escape")
        await expect(log).to_be_hidden()


CUT = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET")
"""What a browser says of a server that was killed in the middle of something."""
LONGEST_WAIT = 8_000
"""Milliseconds after which a page that has lost the connection has tried again."""


async def stop_time(page: Page) -> None:
    """Let the clock of a page stand still: it waits for nothing, and tries nothing again."""
    await page.clock.pause_at(await page.evaluate("Date.now() + 1000"))


async def test_while_a_bot_plays_for_somebody_they_can_only_take_the_seat_back(
    sit: Opener,
) -> None:
    async with sit("/") as page:
        seats = [{"name": "Ann"}, {"name": "Bo", "bot": "greedy"}]
        table = await created(page, dice="typed", seats=seats)
        await page.goto(f"/t/{table['id']}")
        await page.get_by_label("Or type the roll").fill("111523")
        await page.keyboard.press("Enter")
        group = page.get_by_role("group", name="What you can do")
        await expect(group).to_be_visible()
        await page.get_by_role("tab", name="Seats").click()
        await page.get_by_role("button", name="Let a bot play").first.click()
        await expect(page.get_by_role("button", name="Take the seat back").first).to_be_visible()
        await expect(group).to_have_count(0)


async def test_letters_and_numbers_are_typed_on_their_own_keyboards(sit: Opener) -> None:
    async with sit("/", size=PHONE) as page:
        for game, keyboard in (("farkle", "numeric"), ("rogue", "text")):
            table = await created(page, game=game, options={}, dice="typed")
            await page.goto(f"/t/{table['id']}")
            typed = page.get_by_label("Or type the roll")
            await expect(typed).to_have_attribute("inputmode", keyboard)


async def test_a_host_who_does_not_play_invites_and_lets_bots_in(sit: Opener) -> None:
    async with sit("/") as page:
        await page.evaluate("delete Navigator.prototype.clipboard")  # as it is over plain http
        seats = [{"name": f"Seat {n}", "open": True} for n in (1, 2, 3)]
        table = await created(page, seats=seats, options={})
        secret = table["host"]
        await page.goto(f"/t/{table['id']}#{secret}")
        await page.evaluate("delete Navigator.prototype.clipboard")
        link = await page.get_by_label("Send this link").input_value()
        assert link.endswith(f"/t/{table['id']}")
        await page.get_by_role("button", name="Copy link").click()
        await expect(page.get_by_role("button", name="Copied")).to_be_visible()
        for seat, level in ((0, "greedy"), (1, "sharp")):
            await page.locator(f"#level-{seat}").select_option(level)
            row = page.locator("li").nth(seat)
            await row.get_by_role("button", name="Let a bot sit here").click()
            await expect(row).to_contain_text(f"({level} bot)")


async def test_a_seat_is_taken_in_a_tab_that_is_open(sit: Opener) -> None:
    """A link to a seat pasted where the table is open already loads no page anew."""
    async with sit("/") as host, sit("/") as page:
        table = await created(host)
        await page.goto(f"/t/{table['id']}")
        ben = page.get_by_label("Scores").locator("li", has_text="Ben")
        await expect(ben).to_be_visible()
        await expect(ben).not_to_contain_text("you")
        await page.evaluate("secret => { location.hash = secret; }", table["seats"][1]["secret"])
        await expect(ben).to_contain_text("you")
        assert "#" not in page.url


async def test_a_line_that_died_unnoticed_is_opened_anew(sit: Opener) -> None:
    """A command gets no answer: the page connects again, and the same command works."""
    async with sit("/") as page:
        table = await created(page)
        lines = 0

        def wire(line: WebSocketRoute) -> None:
            nonlocal lines
            lines += 1
            dead, server = lines == 1, line.connect_to_server()

            def forward(text: str | bytes) -> None:
                if not (dead and '"choose"' in str(text)):
                    server.send(text)

            line.on_message(forward)

        await page.route_web_socket(re.compile("/socket$"), wire)
        await page.clock.install()
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        seen = await seq(page)
        await page.locator("#beside li button").first.click()
        await enabled(page).filter(has_text="Bank").click()
        await page.clock.fast_forward(11_000)
        await settled(page)
        assert lines == 2
        assert await seq(page) == seen
        await page.locator("#beside li button").first.click()
        await enabled(page).filter(has_text="Bank").click()
        await moved_on(page, seen)


async def test_a_table_is_played_on_before_its_line_is_there(sit: Opener, server: Server) -> None:
    """The first dice lie there at once; what is done with them is sent as soon as it can be."""
    async with sit("/new/farkle") as page:
        connected = asyncio.Event()

        async def wire(line: WebSocketRoute) -> None:
            await connected.wait()
            line.connect_to_server()

        await page.route_web_socket(re.compile("/socket$"), wire)
        server.seed(seed_for({**SHORT, "options": {"starts": "seat"}}))
        await page.get_by_label("The coach may be asked").uncheck()
        await page.get_by_text("House rules").click()
        await page.locator("#option-starts").select_option("seat")
        await page.get_by_role("button", name="Start").click()
        await settled(page)
        seen = await seq(page)
        await page.locator("#beside li button").first.click()
        await enabled(page).filter(has_text="Roll").click()
        await expect(page.locator(".table-page[data-busy=true]")).to_be_visible()
        await expect(page.get_by_role("alert")).to_have_count(0)
        connected.set()
        await moved_on(page, seen)


async def test_what_came_too_late_is_not_told_as_a_problem(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page)
        told: list[WebSocketRoute] = []

        def wire(line: WebSocketRoute) -> None:
            line.connect_to_server()
            told.append(line)

        await page.route_web_socket(re.compile("/socket$"), wire)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        for kind in ("Stale", "Refused"):
            problem = {"type": "problem", "kind": kind, "error": f"{kind}: it cannot be."}
            told[0].send(json.dumps(problem))
        await expect(page.get_by_role("alert")).to_have_text("Refused: it cannot be.")
        # Messages are heard in order: with the words that come next, the late one has been heard.
        told[0].send(json.dumps({"type": "problem", "kind": "Stale", "error": "Too late."}))
        working = {"type": "working", "what": "Something takes a while", "part": 0.5}
        told[0].send(json.dumps(working))
        await page.get_by_role("tab", name="Coach").click()
        await expect(page.get_by_role("tabpanel")).to_contain_text("Something takes a while")
        await expect(page.get_by_role("alert")).to_have_text("Refused: it cannot be.")


async def test_trouble_of_the_server_is_told_until_it_is_over(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page)
        lines: list[WebSocketRoute] = []

        def wire(line: WebSocketRoute) -> None:
            line.connect_to_server()
            lines.append(line)

        await page.route_web_socket(re.compile("/socket$"), wire)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        full = "The disk is full; nothing can be saved until there is room on it."
        lines[0].send(json.dumps({"type": "trouble", "what": full}))
        await expect(page.get_by_role("status").get_by_text(full)).to_be_visible()
        lines[0].send(json.dumps({"type": "trouble", "what": ""}))
        await expect(page.get_by_text(full)).to_have_count(0)


async def test_marks_that_coincide(sit: Opener) -> None:
    """An entry that is the target too is one mark on another; the table is there."""
    async with sit("/") as page:
        table = await created(page, options={"entry": "100", "target": "100", "starts": "seat"})
        await page.goto(f"/t/{table['id']}")
        await settled(page)


async def test_interrupted_in_the_middle_of_a_show(sit: Opener) -> None:
    """A connection lost while a bot's turn is being shown: the page stands where the table does."""
    async with sit("/", speed="normal") as page:
        seats = [{"name": "Bo", "bot": "greedy"}, {"name": "Ann"}]
        table = await created(page, seats=seats)
        lines: list[WebSocketRoute] = []

        def wire(line: WebSocketRoute) -> None:
            line.connect_to_server()
            lines.append(line)

        await page.route_web_socket(re.compile("/socket$"), wire)
        await page.clock.install()
        await stop_time(page)
        await page.goto(f"/t/{table['id']}")
        await page.get_by_role("tab", name="Log").click()
        # Time stands still, so what the bot does is being shown for as long as it takes.
        await page.locator(".table-page[data-busy=true]").wait_for()
        await lines[0].close(code=1012)
        await expect(page.get_by_text("reconnecting")).to_be_visible()
        await page.clock.run_for(LONGEST_WAIT)
        await settled(page)
        assert len(lines) == 2
        log = page.get_by_label("What has happened").locator("li")
        assert await log.count() == await seq(page) > 1


async def test_a_killed_server_is_hardly_noticed(sit: Opener, own: Server) -> None:
    async with sit("/", home=own.url, expected=CUT) as page:
        table = await created(page)
        await page.clock.install()
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        tray = await page.locator(".tray").inner_html()
        await stop_time(page)
        own.kill()
        await expect(page.get_by_text("reconnecting")).to_be_visible()
        async with page.expect_console_message(lambda said: "REFUSED" in said.text):
            await page.clock.run_for(LONGEST_WAIT)  # it tries, and nobody is there
        own.start()
        await page.clock.run_for(LONGEST_WAIT)
        await expect(page.get_by_text("reconnecting")).to_have_count(0)
        assert await page.locator(".tray").inner_html() == tray
        await click_through(page)


async def test_a_seat_is_handed_to_another_device_by_its_link(sit: Opener) -> None:
    async with sit("/new/farkle") as one, sit("/") as other:
        await one.get_by_label("The coach may be asked").uncheck()
        await one.get_by_label("Seat 2").select_option("here")
        await one.get_by_label("Name").nth(1).fill("Ben")
        await one.get_by_role("button", name="Start").click()
        await settled(one)
        await one.get_by_role("tab", name="Seats").click()
        await one.get_by_role("button", name="Link to this seat").nth(1).click()
        link = await one.get_by_label("can play for Ben").input_value()
        await other.goto(link)
        await other.locator(".felt").wait_for()
        assert "#" not in other.url
        await other.reload()
        await expect(other.get_by_label("Scores").locator("li", has_text="Ben")).to_contain_text(
            "you"
        )


async def test_a_player_moves_to_another_device(sit: Opener) -> None:
    async with sit("/") as one, sit("/") as other:
        table = await created(one)
        await one.goto("/settings")
        await one.get_by_role("button", name="another device").click()
        link = await one.get_by_label("Open this link on the other device").input_value()
        await other.goto(link)
        await expect(other.get_by_text("your tables and statistics are here")).to_be_visible()
        await other.goto("/tables")
        await expect(other.locator(f"a[href='/t/{table['id']}']")).to_be_visible()
        await other.goto("/settings#player=nonsense")
        await expect(other.get_by_text("incomplete")).to_be_visible()


async def test_real_dice_with_a_mistake_corrected(sit: Opener) -> None:
    async with sit("/new/farkle", size=PHONE) as page:
        await page.get_by_label("The coach may be asked").uncheck()
        await page.get_by_label("Seat 2").select_option("here")
        await page.get_by_label("Name").nth(1).fill("Ben")
        await page.get_by_text("Real dice").click()
        await page.get_by_text("House rules").click()
        await page.locator("#option-starts").select_option("seat")
        await page.get_by_role("button", name="Start").click()
        typed = page.get_by_label("Or type the roll")
        await typed.fill("11352")
        await page.get_by_role("button", name="Enter roll").click()
        await expect(page.get_by_role("alert")).to_contain_text("Six dice")
        await typed.fill("117352")
        await page.get_by_role("button", name="Enter roll").click()
        await expect(page.get_by_role("alert")).not_to_contain_text("Six dice")
        await typed.fill("")
        for face in "111352":
            await page.get_by_role("button", name=face, exact=True).click()
        await page.get_by_role("button", name="Enter roll").click()
        await expect(page.locator(".told")).to_contain_text("1-1-1")
        # It was a 4, not a 3: back, and once more.
        await page.get_by_role("button", name="Undo").click()
        await typed.fill("111452")
        await page.keyboard.press("Enter")
        await expect(page.locator(".told")).to_contain_text("4")
        await settled(page)
        assert await page.locator(".tray .slot").count() == 6
        await page.locator(".tray .slot").first.click()
        await expect(enabled(page).first).to_contain_text("Roll")


async def test_a_whole_game_on_real_dice_and_a_result_taken_back(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page, dice="typed", options={**SHORT["options"], "target": "100"})
        await page.goto(f"/t/{table['id']}")
        for _ in range(100):
            await settled(page)
            if await over(page).count():
                break
            seen = await seq(page)
            if await page.get_by_label("Or type the roll").count():
                await page.get_by_label("Or type the roll").fill("112346"[: await _dice(page)])
                await page.keyboard.press("Enter")
            elif await page.locator("button.big").count():
                await page.locator("button.big").click()
                continue
            else:
                await click_choice(page)
            await moved_on(page, seen)
        await expect(over(page)).to_be_visible()
        await page.get_by_role("button", name="Undo").click()
        await expect(over(page)).to_have_count(0)


async def _dice(page: Page) -> int:
    return await page.locator("form .slot").count()


async def test_round_one_device_the_next_player_is_called(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.locator("#beside li button").first.click()
        await enabled(page).filter(has_text="Bank").click()
        await expect(page.get_by_role("button", name="Ben, roll")).to_be_visible()
        await page.get_by_role("button", name="Undo").click()
        await expect(
            enabled(page).first.or_(page.locator("#beside li button").first)
        ).to_be_visible()
        await expect(page.get_by_role("button", name="Ben, roll")).to_have_count(0)


async def test_selecting_commits_nothing_and_a_disabled_button_says_why(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page, options={"starts": "seat"})
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        seen = await seq(page)
        group = page.get_by_role("group", name="What you can do")
        await expect(group).to_contain_text("Select dice first.")
        await group.get_by_role("button", name="Roll").click(force=True)
        await page.locator("#beside li button").first.click()
        chosen = page.locator(".tray .slot[aria-pressed=true]")
        assert await chosen.count() > 0
        await chosen.first.click()
        await page.keyboard.press("Escape")
        await expect(chosen).to_have_count(0)
        assert await seq(page) == seen


async def test_the_coach_is_asked_and_odds_stand_on_the_buttons(sit: Opener) -> None:
    async with sit("/") as page:
        alone = {"game": "peruke", "options": {}, "seats": [{"name": "Ann"}]}  # needs no solving
        table = await created(page, **alone, coach=True)
        await advised(page, table)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.keyboard.press("h")
        panel = page.get_by_role("tabpanel")
        await expect(panel.locator("li").first).to_be_visible()
        await expect(panel).to_contain_text(re.compile(r"points|%"))
        await panel.locator("li button").first.click()
        quiet = await created(page, **alone, coach=False)
        await page.goto(f"/t/{quiet['id']}")
        await settled(page)
        await page.keyboard.press("h")
        await expect(page.get_by_role("tabpanel")).to_contain_text("without a coach")


async def test_a_bot_sits_in_and_the_seat_is_taken_back(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page, options={})
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.get_by_role("tab", name="Seats").click()
        await page.get_by_label("Level of bots").select_option("greedy")
        await page.get_by_role("button", name="Let a bot play").first.click()
        await page.get_by_role("button", name="Take the seat back").first.click()
        await page.get_by_role("tab", name="Log").click()
        await expect(page.get_by_label("What has happened")).to_contain_text("Ann is back.")


async def test_tables_that_are_not_there(sit: Opener, server: Server) -> None:
    async with sit("/t/nowhere", expected=("4404",)) as page:
        await expect(page.get_by_role("heading", name="No such table")).to_be_visible()
        await page.get_by_role("link", name="Start a game").click()
        await expect(page.get_by_role("heading", name="Roll again")).to_be_visible()


async def test_history_and_statistics_fill_up(sit: Opener) -> None:
    async with sit("/tables") as page:
        await expect(page.get_by_text("not played on this device yet")).to_be_visible()
        await page.goto("/statistics")
        await expect(page.get_by_text("No statistics yet")).to_be_visible()
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await click_through(page)
        await page.goto("/statistics")
        await expect(page.get_by_role("row").filter(has_text="Ann")).to_contain_text("1")
        await page.goto("/tables")
        await expect(page.get_by_role("link", name="Farkle")).to_contain_text("won")


async def test_house_rules_are_checked_where_they_are_changed(sit: Opener) -> None:
    async with sit("/new/farkle") as page:
        await page.get_by_text("House rules").click()
        await page.locator("#option-target").fill("many")
        await expect(page.get_by_role("alert")).to_contain_text("whole number")
        await page.locator("#option-target").fill("50")
        await expect(page.get_by_role("alert")).to_contain_text("lies above the target")
        await expect(page.locator("#option-target")).to_have_attribute("aria-invalid", "true")
        await page.get_by_role("button", name="Start").click()
        await expect(page.locator("#option-target")).to_be_focused()
        await page.locator("#option-target").fill("500")
        await expect(page.get_by_role("alert")).to_have_count(0)


async def test_a_mistake_that_was_put_right_keeps_nobody_waiting(sit: Opener) -> None:
    """Start looks at the options as they are now, not as they were a moment ago."""
    async with sit("/") as page:
        await page.clock.install()
        await page.goto("/new/farkle")
        await page.get_by_label("The coach may be asked").uncheck()
        await page.get_by_text("House rules").click()
        await page.locator("#option-target").fill("50")
        await expect(page.get_by_role("alert")).to_contain_text("lies above the target")
        await stop_time(page)
        await page.locator("#option-target").fill("500")
        await page.get_by_role("button", name="Start").click()
        await expect(page.locator(".felt")).to_be_visible()


async def test_two_of_one_name_are_told_where_the_name_is(sit: Opener) -> None:
    async with sit("/new/farkle") as page:
        await page.get_by_label("The coach may be asked").uncheck()
        names = page.get_by_label("Name")
        await names.nth(0).fill("Ann")
        await names.nth(1).fill(" ann")
        await expect(page.get_by_text("Somebody else has this name.")).to_be_visible()
        await page.get_by_role("button", name="Start").click()
        await expect(names.nth(1)).to_be_focused()
        await names.nth(1).fill("Ben")
        await page.get_by_role("button", name="Start").click()
        await settled(page)


async def test_tabs_turn_by_arrows(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.get_by_role("tab", name="Choices").focus()
        for key, name in (("ArrowRight", "Coach"), ("End", "Seats"), ("ArrowRight", "Choices")):
            await page.keyboard.press(key)
            await expect(page.get_by_role("tab", name=name)).to_be_focused()
            await expect(page.get_by_role("tab", selected=True)).to_have_text(name)


async def test_alone_one_plays_against_ones_best(sit: Opener) -> None:
    async with sit("/") as page:
        solo = {"game": "peruke", "options": {"games": "1"}, "seats": [{"name": "Ann"}]}
        table = await created(page, **solo)
        await page.goto(f"/t/{table['id']}")
        await click_through(page)
        await expect(over(page)).to_contain_text("That is the one to beat.")
        await page.get_by_role("button", name="Share").click()
        await expect(page.get_by_label("Anyone with this link")).to_have_value(
            re.compile(table["id"])
        )
        await page.goto("/statistics")
        await expect(page.get_by_role("columnheader", name="Personal best")).to_be_visible()


async def test_time_runs_out(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page, clock=1)
        await page.goto(f"/t/{table['id']}")
        await page.get_by_role("tab", name="Log").click()
        log = page.get_by_text("Time is up for Ann: a casual bot sits in.")
        await expect(log.first).to_be_visible()


async def test_keys_are_explained(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.keyboard.press("?")
        dialog = page.get_by_role("dialog")
        for words in ("bank", "roll", "undo", "coach"):
            await expect(dialog).to_contain_text(words)
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)


async def test_a_screen_reader_hears_one_sentence(sit: Opener) -> None:
    async with sit("/") as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        heard = page.locator("[aria-live=polite]").first
        assert re.fullmatch(r"Ann rolls [^.]+\.", await heard.inner_text())


async def test_dice_tumble_and_can_be_skipped(sit: Opener) -> None:
    async with sit("/", speed="normal") as page:
        seats = [{"name": "Ann"}, {"name": "Bo", "bot": "greedy"}]
        table = await created(page, seats=seats, options={"starts": "seat"})
        await page.clock.install()
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await stop_time(page)
        seen = await seq(page)
        await page.locator("#beside li button").first.click()
        await enabled(page).filter(has_text="Roll").click()
        # Time stands still: only skipping comes to the end of what is shown.
        await expect(page.get_by_role("button", name="Skip")).to_be_visible()
        await page.clock.run_for(300)  # the keep has been shown, the roll has begun
        await expect(page.locator(".tray .rolling").first).to_be_visible()
        assert await seq(page) == seen
        await page.keyboard.press("Space")
        await moved_on(page, seen)


async def test_dice_die_when_they_have_landed(sit: Opener) -> None:
    async with sit("/", speed="normal") as page:
        table = await created(page, game="cockroach", options={"starts": "seat"}, dice="typed")
        await page.clock.install()
        await page.goto(f"/t/{table['id']}")
        await page.get_by_label("or type").fill("12346")
        await stop_time(page)
        await page.keyboard.press("Enter")
        await expect(page.locator(".tray .slot")).to_have_count(5)  # as they roll
        await expect(page.locator(".dead .small-die")).to_have_count(0)
        await page.clock.run_for(1_000)
        await expect(page.get_by_role("group", name="1 dead")).to_be_visible()
