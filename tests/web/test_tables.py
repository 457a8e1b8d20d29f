"""Tables in a real browser: together, apart, interrupted, on real dice, coached."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from playwright.async_api import Page, Request, Route, WebSocketRoute, expect

from hotdice import game_names, game_type
from tests.web.conftest import BLANK, DESK, PHONE, Opener
from tests.web.playing import (
    click_choice,
    enabled,
    moved_on,
    over,
    seq,
    settled,
)
from tests.web.serving import Server
from tests.web.tables import SHORT, advised, created, play_out, played, seed_for
from tests.web.test_access import violations

pytestmark = pytest.mark.asyncio(loop_scope="session")

NASTY = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize("slug", game_names())
async def test_play_now_shows_dice_after_one_request(sit: Opener, slug: str) -> None:
    async with sit("/", speed="normal") as page:
        button = page.get_by_role("button", name=f"Play now {game_type(slug).title}")
        await button.wait_for()  # by then the page has made its own requests
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
    """Create the table without a coach, which would start a solver."""
    await route.continue_(post_data={**(route.request.post_data_json or {}), "coach": False})


async def test_everybody_sees_the_roll_for_the_start(sit: Opener) -> None:
    """When the last seat is taken, the first dice roll on the felt, not behind the lobby."""
    async with sit(BLANK, speed="normal") as host, sit(BLANK, speed="normal") as guest:
        await host.clock.install()
        await guest.clock.install()
        seats = [{"name": "North"}, {"name": "Seat 2", "open": True}]
        table = await created(host, game="cockroach", options={}, seats=seats, dice="seeded")
        secret = table["seats"][0]["secret"]
        for page, link in ((host, f"/t/{table['id']}#{secret}"), (guest, f"/t/{table['id']}")):
            await page.goto(link)
            await expect(page.get_by_text("waiting for players")).to_be_visible()
        await guest.get_by_label("Your name").fill("South")
        await stop_time(host)
        await stop_time(guest)
        await guest.get_by_role("button", name="Take a seat").click()
        for page in (host, guest):
            await expect(page.locator(".tray .die")).to_have_count(5)
            await expect(page.get_by_label("Scores")).to_contain_text("South")
            await expect(page.locator("p.told")).not_to_contain_text("starts")
            await expect(page.get_by_role("button", name="Skip")).to_be_enabled()
        for page in (host, guest):
            for _ in range(40):
                if "starts" in await page.locator("p.told").inner_text():
                    break
                await page.clock.run_for(100)
            await expect(page.locator("p.told")).to_have_text(
                re.compile(r"^North \d+, South \d+: (North|South) starts\.$")
            )


_FOLLOW = """() => {
  window.tops = [];
  const look = () => {
    const die = document.querySelector('.rail .small-die');
    if (die) window.tops.push(die.getBoundingClientRect().top);
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.mark.parametrize(("slug", "size"), [("farkle", DESK), ("rogue", PHONE)])
async def test_kept_dice_travel_to_the_rail(sit: Opener, slug: str, size: dict[str, int]) -> None:
    async with sit(BLANK, speed="normal", size=size) as page:
        options = SHORT["options"] if slug == "farkle" else {}
        table = await created(page, game=slug, options=options)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.evaluate(_FOLLOW)
        await page.keyboard.press("a")
        await page.keyboard.press("r")
        await page.locator(".rail .small-die").first.wait_for()
        await settled(page)
        first, *others = await page.evaluate("window.tops")
        assert max(others) - first > 50  # from the tray down to the rail


_ROWS = """rows => rows.map((row) => {
  const [{left, top}, end] = [row, row.lastElementChild].map((one) => one.getBoundingClientRect());
  return [row.innerText, left, top, Math.round(end.right - left)];
})"""


async def test_rolls_that_stay_apart_have_a_row_each(sit: Opener) -> None:
    """The rail has room for all of them from the start."""
    turn = ("c44236", "keep c44 roll", "c26", "keep c roll", "c6", "keep c roll")
    async with sit(BLANK) as page:
        table = await created(page, game="rogue", options={}, dice="typed")
        rail = page.locator(".rail")
        heights = []
        for at in range(0, len(turn), 2):
            await played(page, table, *turn[at : at + 2])
            await page.goto(f"/t/{table['id']}")
            await expect(rail.locator(".kept")).to_have_count(at // 2 + 1)
            heights.append(await rail.evaluate("rail => rail.clientHeight"))
        rows = await rail.locator(".kept").evaluate_all(_ROWS)
    assert len(set(heights)) == 1
    texts, lefts, tops, ends = zip(*rows, strict=True)
    nothing = "\N{MULTIPLICATION SIGN}0"
    wanted = [["first", "16"], ["second", nothing], ["third", nothing]]
    assert [text.split() for text in texts] == wanted
    assert len(set(lefts)) == len(set(ends)) == 1  # points stand below each other
    assert tops[2] - tops[1] == tops[1] - tops[0] > 20


async def test_chat_is_shown_as_text_not_markup(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await page.get_by_role("tab", name="Log").click()
        await page.get_by_label("Say something").fill(NASTY)
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("What has happened")).to_contain_text(f"Ann: {NASTY}")
        alone = await created(page, seats=[{"name": "Ann"}, {"name": "Hal", "bot": "greedy"}])
        await page.goto(f"/t/{alone['id']}")
        await page.get_by_role("tab", name="Log").click()
        await expect(page.get_by_label("What has happened")).to_be_visible()
        await expect(page.get_by_label("Say something")).to_have_count(0)  # bots do not listen


async def test_chat_does_not_clear_the_selection(sit: Opener) -> None:
    """Nor does it replace the line about the last roll."""
    async with sit(BLANK) as ann, sit(BLANK) as ben:
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


async def test_chat_does_not_clear_typed_dice_and_disappears_after_a_while(sit: Opener) -> None:
    async with sit(BLANK, size=PHONE) as ann, sit(BLANK) as ben:
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
            )  # a long word is wrapped
        await ann.clock.fast_forward(13_000)
        await expect(ann.locator(".said")).to_have_count(0)


async def test_unsent_chat_survives_a_lost_connection_and_escape_closes_the_log(
    sit: Opener, own: Server
) -> None:
    async with sit(BLANK, size=PHONE, home=own.url, expected=CUT) as page:
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


CUT = ("net::ERR_",)
"""Console errors of a browser whose server was killed."""
LONGEST_WAIT = 8_000
"""Milliseconds after which a disconnected page has retried."""


async def stop_time(page: Page) -> None:
    """Stop the clock of a page, so that no timer fires and nothing is retried.

    The clock runs until then, and cannot be set back: ten minutes ahead is never in the past.
    """
    await page.clock.pause_at(await page.evaluate("Date.now() + 600_000"))


async def test_a_player_replaced_by_a_bot_can_only_take_the_seat_back(
    sit: Opener,
) -> None:
    async with sit(BLANK) as page:
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


async def test_typed_dice_get_a_numeric_or_text_keyboard(sit: Opener) -> None:
    async with sit(BLANK, size=PHONE) as page:
        for game, keyboard in (("farkle", "numeric"), ("rogue", "text")):
            table = await created(page, game=game, options={}, dice="typed")
            await page.goto(f"/t/{table['id']}")
            typed = page.get_by_label("Or type the roll")
            await expect(typed).to_have_attribute("inputmode", keyboard)


async def test_a_host_without_a_seat_can_invite_guests_and_let_bots_in(sit: Opener) -> None:
    async with sit(BLANK) as page:
        await page.evaluate("delete Navigator.prototype.clipboard")  # as over plain http
        seats = [{"name": f"Seat {n}", "open": True} for n in (1, 2, 3)]
        table = await created(page, seats=seats, options={}, dice="seeded")
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


async def test_a_link_to_a_seat_works_in_a_tab_that_shows_the_table(sit: Opener) -> None:
    """Only the fragment of the address changes, so the page is not reloaded."""
    async with sit(BLANK) as host, sit(BLANK) as page:
        table = await created(host)
        await page.goto(f"/t/{table['id']}")
        ben = page.get_by_label("Scores").locator("li", has_text="Ben")
        await expect(ben).to_be_visible()
        await expect(ben).not_to_contain_text("you")
        await page.evaluate("secret => { location.hash = secret; }", table["seats"][1]["secret"])
        await expect(ben).to_contain_text("you")
        assert "#" not in page.url


async def test_a_dead_connection_is_replaced(sit: Opener) -> None:
    """A command gets no answer: the page reconnects, and the same command works."""
    async with sit(BLANK) as page:
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


async def test_a_new_table_can_be_played_before_its_socket_is_open(
    sit: Opener, server: Server
) -> None:
    """The first roll is shown at once; a choice is sent when the socket opens."""
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


async def test_stale_commands_are_not_shown_as_problems(sit: Opener) -> None:
    async with sit(BLANK) as page:
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
        # Messages arrive in order: once the next one is shown, the stale one has been handled.
        told[0].send(json.dumps({"type": "problem", "kind": "Stale", "error": "Too late."}))
        working = {"type": "working", "what": "Something takes a while", "part": 0.5}
        told[0].send(json.dumps(working))
        await page.get_by_role("tab", name="Coach").click()
        await expect(page.get_by_role("tabpanel")).to_contain_text("Something takes a while")
        await expect(page.get_by_role("alert")).to_have_text("Refused: it cannot be.")


async def test_server_trouble_is_shown_until_it_is_over(sit: Opener) -> None:
    async with sit(BLANK) as page:
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


async def test_marks_on_the_same_score_do_not_break_the_page(sit: Opener) -> None:
    """Entry and target are the same score."""
    async with sit(BLANK) as page:
        table = await created(page, options={"entry": "100", "target": "100", "starts": "seat"})
        await page.goto(f"/t/{table['id']}")
        await settled(page)


async def test_a_connection_lost_during_an_animation_is_restored(sit: Opener) -> None:
    """It is lost while a bot's turn is being shown; the page then shows the table's state."""
    async with sit(BLANK, speed="normal") as page:
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
        # The clock is stopped, so the bot's turn stays half shown.
        await page.locator(".table-page[data-busy=true]").wait_for()
        await lines[0].close(code=1012)
        await expect(page.get_by_text("reconnecting")).to_be_visible()
        await page.clock.run_for(LONGEST_WAIT)
        await settled(page)
        assert len(lines) == 2
        log = page.get_by_label("What has happened").locator("li")
        assert await log.count() == await seq(page) > 1


async def test_icons_that_did_not_arrive_are_fetched_again(sit: Opener) -> None:
    tries: list[Route] = []

    async def cut_once(route: Route) -> None:
        tries.append(route)
        await (route.abort() if len(tries) == 1 else route.continue_())

    async with sit(BLANK, expected=("ERR_FAILED",)) as page:
        table = await created(page, game="rogue", options={})
        await page.clock.install()
        await stop_time(page)
        await page.route("**/sprite.svg", cut_once)
        await page.goto(f"/t/{table['id']}")
        await page.locator(".felt").wait_for()
        icon = page.locator(".felt use").first
        assert await icon.evaluate(_IS_DRAWN) is False
        await page.clock.run_for(LONGEST_WAIT)
        await page.locator(".symbols").wait_for(state="attached")
        assert len(tries) == 2
        assert await icon.evaluate(_IS_DRAWN) is True


_IS_DRAWN = "use => use.getBBox().width > 0"


async def test_a_page_reconnects_to_a_restarted_server(sit: Opener, own: Server) -> None:
    async with sit(BLANK, home=own.url, expected=CUT) as page:
        table = await created(page)
        await page.clock.install()
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        tray = await page.locator(".tray").inner_html()
        await stop_time(page)
        own.kill()
        await expect(page.get_by_text("reconnecting")).to_be_visible()
        async with page.expect_console_message(lambda said: "REFUSED" in said.text):
            await page.clock.run_for(LONGEST_WAIT)  # a retry that fails
        own.start()
        await page.clock.run_for(LONGEST_WAIT)
        await expect(page.get_by_text("reconnecting")).to_have_count(0)
        assert await page.locator(".tray").inner_html() == tray
        seen = await seq(page)
        await click_choice(page)
        await moved_on(page, seen)


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
    async with sit(BLANK) as one, sit(BLANK) as other:
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


async def test_a_mistake_with_real_dice_is_corrected(sit: Opener) -> None:
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
        # It was a 4, not a 3: undo and enter it again.
        await page.get_by_role("button", name="Undo").click()
        await typed.fill("111452")
        await page.keyboard.press("Enter")
        await expect(page.locator(".told")).to_contain_text("4")
        await settled(page)
        assert await page.locator(".tray .slot").count() == 6
        await page.locator(".tray .slot").first.click()
        await expect(enabled(page).first).to_contain_text("Roll")


async def test_a_result_with_real_dice_can_be_undone(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page, dice="typed", options={**SHORT["options"], "target": "40"})
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


async def test_on_a_shared_device_the_next_player_is_called(sit: Opener) -> None:
    async with sit(BLANK) as page:
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
    async with sit(BLANK) as page:
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


async def test_the_coach_answers_where_the_table_has_one(sit: Opener) -> None:
    async with sit(BLANK) as page:
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
    async with sit(BLANK) as page:
        table = await created(page, options={})
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.get_by_role("tab", name="Seats").click()
        await page.get_by_label("Level of bots").select_option("greedy")
        await page.get_by_role("button", name="Let a bot play").first.click()
        await page.get_by_role("button", name="Take the seat back").first.click()
        await page.get_by_role("tab", name="Log").click()
        await expect(page.get_by_label("What has happened")).to_contain_text("Ann is back.")


async def test_an_unknown_table_leads_back_to_the_start(sit: Opener, server: Server) -> None:
    async with sit("/t/nowhere", expected=("4404",)) as page:
        await expect(page.get_by_role("heading", name="No such table")).to_be_visible()
        await page.get_by_role("link", name="Start a game").click()
        await expect(page.get_by_role("heading", name="Roll again")).to_be_visible()


async def test_history_and_statistics_fill_up(sit: Opener) -> None:
    async with sit("/tables") as page:
        await expect(page.get_by_text("not played on this device yet")).to_be_visible()
        await page.goto("/statistics")
        await expect(page.get_by_text("No statistics yet")).to_be_visible()
        await play_out(page, await created(page))
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
        await expect(page.get_by_role("alert")).to_contain_text("above the target of")
        await expect(page.locator("#option-target")).to_have_attribute("aria-invalid", "true")
        await page.get_by_role("button", name="Start").click()
        await expect(page.locator("#option-target")).to_be_focused()
        await page.locator("#option-target").fill("500")
        await expect(page.get_by_role("alert")).to_have_count(0)


async def test_a_course_of_ones_own_is_written_into_an_empty_field(sit: Opener) -> None:
    async with sit("/new/go500") as page:
        await page.get_by_text("House rules").click()
        field = page.get_by_label("Your own course")
        await expect(field).to_have_count(0)
        await page.locator("#option-course").select_option("streets")
        await page.locator("#option-course").select_option("your own…")
        await expect(field).to_have_value("")
        await expect(field).to_have_attribute("placeholder", re.compile(r"^name: streets\n"))
        alert = page.locator("#doc-course").get_by_role("alert")
        await expect(alert).to_contain_text("write one of your own")
        await expect(alert).not_to_contain_text("path")
        await page.get_by_role("button", name="Start from streets").click()
        await expect(field).to_have_value(re.compile(r"^name: streets\n.*\nsegment: ", re.DOTALL))
        await expect(alert).to_have_count(0)
        await field.fill("name: ring\nsegment: Barn")
        await expect(alert).to_contain_text("Line 2")
        await field.fill("name: ring\nsegment: Barn = 60")
        await page.locator("#option-course").select_option("oval")
        await expect(field).to_have_count(0)
        await page.locator("#option-course").select_option("your own…")
        await expect(field).to_have_value("name: ring\nsegment: Barn = 60")
        await page.get_by_label("The coach may be asked").uncheck()
        await page.get_by_role("button", name="Start", exact=True).click()
        await expect(page.get_by_text("Barn").first).to_be_visible()


async def test_corrected_options_can_be_started_at_once(sit: Opener) -> None:
    """Start uses the options as they are now, not as they were last checked."""
    async with sit("/") as page:
        await page.clock.install()
        await page.goto("/new/farkle")
        await page.get_by_label("The coach may be asked").uncheck()
        await page.get_by_text("House rules").click()
        await page.locator("#option-target").fill("50")
        await expect(page.get_by_role("alert")).to_contain_text("above the target of")
        await stop_time(page)
        await page.locator("#option-target").fill("500")
        await page.get_by_role("button", name="Start").click()
        await expect(page.locator(".felt")).to_be_visible()


async def test_a_duplicate_name_is_reported_at_its_field(sit: Opener) -> None:
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


async def test_rules_open_over_the_table(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        rules = page.get_by_role("dialog", name="Rules of Farkle")
        link = page.locator("header").get_by_role("link", name="Rules")
        seen = await seq(page)
        await link.click()
        await expect(rules.get_by_role("heading", level=1)).to_be_visible()
        await page.keyboard.press("b")  # keys do not reach the table
        for _ in range(8):
            await page.keyboard.press("Tab")
            assert await page.evaluate(
                "[document.body, null].includes(document.activeElement) ||"
                " Boolean(document.activeElement.closest('dialog'))"
            )
        await page.keyboard.press("Escape")
        await expect(rules).to_have_count(0)
        await expect(link).to_be_focused()
        assert await seq(page) == seen
        await page.get_by_role("tab", name="How").click()
        await page.get_by_role("link", name="All rules").click()
        await rules.get_by_role("button", name="Back to the table").click()
        async with page.context.expect_page() as opened:
            await link.click(modifiers=["ControlOrMeta"])
        await expect((await opened.value).get_by_role("main")).to_be_visible()
        assert (await opened.value).url.endswith("/rules/farkle")
        await expect(rules).to_have_count(0)
        await play_out(page, table)
        await over(page).get_by_role("link", name="F11").click()
        await expect(rules.locator("#F11")).to_be_in_viewport()
        assert page.url.endswith(table["id"])


async def test_the_best_choice_is_marked_and_first_for_the_coach(sit: Opener) -> None:
    async with sit(BLANK) as page:
        race = {"course": "name: x; segment: Barn = none; segment: Gate = 60", "rerolls": "0"}
        seats = [{"name": "Ann"}]
        table = await created(page, game="go500", options=race, seats=seats, coach=True)
        await advised(page, table)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        beside = page.locator("#beside")
        for name in ("Choices", "Coach"):
            await page.get_by_role("tab", name=name).click()
            await expect(beside.locator(".best")).to_have_count(1)
            best = beside.locator("li button").filter(has=page.locator(".best"))
            await expect(best).to_contain_text("Take five black dice and the green die")
            values = await beside.locator(":is(ul, ol).listed > li > button").all_text_contents()
            assert all("point" in value for value in values)
        await expect(beside.locator("li button").first).to_contain_text("best")


async def test_arrow_keys_switch_tabs(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.get_by_role("tab", name="Choices").focus()
        for key, name in (("ArrowRight", "Coach"), ("End", "Seats"), ("ArrowRight", "Choices")):
            await page.keyboard.press(key)
            await expect(page.get_by_role("tab", name=name)).to_be_focused()
            await expect(page.get_by_role("tab", selected=True)).to_have_text(name)


async def test_solitaire_results_are_compared_with_the_personal_best(sit: Opener) -> None:
    async with sit(BLANK) as page:
        solo = {"game": "peruke", "options": {"games": "1"}, "seats": [{"name": "Ann"}]}
        table = await created(page, **solo)
        await play_out(page, table)
        await page.goto(f"/t/{table['id']}")
        await expect(over(page)).to_contain_text("That is the one to beat.")
        await page.get_by_role("button", name="More").click()
        await expect(page.get_by_label("Anyone with this link")).to_have_value(
            re.compile(table["id"])
        )
        await page.goto("/statistics")
        headers = page.get_by_role("columnheader")
        await expect(headers).to_have_text(
            ["Name", "Played as", "Times", "Personal best", "Average", "Peruke One"]
        )
        await expect(page.get_by_role("cell").first).to_have_text("Single games")


async def test_a_bot_sits_in_when_time_runs_out(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page, clock=1)
        await page.goto(f"/t/{table['id']}")
        await page.get_by_role("tab", name="Log").click()
        log = page.get_by_text("Time is up for Ann: a casual bot sits in.")
        await expect(log.first).to_be_visible()


async def test_keys_are_explained(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.keyboard.press("?")
        dialog = page.get_by_role("dialog")
        for words in ("bank", "roll", "undo", "coach"):
            await expect(dialog).to_contain_text(words)
        assert await violations(page, within="dialog") == []
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)


async def test_a_screen_reader_gets_one_sentence(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        heard = page.locator("[aria-live=polite]")
        assert re.fullmatch(r"Ann rolls [^.]+\.", await heard.first.inner_text())
        await expect(heard.nth(1)).to_be_empty()
        await page.keyboard.press("a")
        await expect(heard.nth(1)).to_contain_text("Keep ")


async def test_dice_tumble_and_can_be_skipped(sit: Opener) -> None:
    async with sit(BLANK, speed="normal") as page:
        seats = [{"name": "Ann"}, {"name": "Bo", "bot": "greedy"}]
        table = await created(page, seats=seats, options={"starts": "seat"})
        await page.clock.install()
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await stop_time(page)
        seen = await seq(page)
        await page.locator("#beside li button").first.click()
        await enabled(page).filter(has_text="Roll").click()
        # The clock is stopped, so only skipping ends the animation.
        await expect(page.get_by_role("button", name="Skip")).to_be_enabled()
        dimmed = page.locator(".past")  # the buttons stay where they were
        await expect(dimmed.locator("button")).to_have_text(["Roll", "Bank"])
        await expect(dimmed).to_have_css("opacity", "0.45")
        await expect(dimmed).to_have_attribute("inert", "")
        await page.clock.run_for(300)  # the keep has been shown, the roll has begun
        await expect(page.locator(".tray .rolling").first).to_be_visible()
        assert await seq(page) == seen
        await page.keyboard.press("Space")
        await moved_on(page, seen)


async def test_dead_dice_leave_the_tray_only_after_landing(sit: Opener) -> None:
    async with sit(BLANK, speed="normal") as page:
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
