"""Routing of requests: turns and deep work, each to its provider.

Deep work has connections of its own, so that it never waits for a turn, nor a turn for it: one to its own provider, and one more to the
provider of turns for the steps that the fast model writes. Each is made when the first request wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from msgspec import structs

from spark_jupyter.connection.base import AgentLink
from spark_jupyter.exceptions import SessionError
from spark_jupyter.policy import Policy
from spark_jupyter.prompting.mentions import without_marks
from spark_jupyter.protocol.deep_messages import (
    BeginDeep,
    ChooseDeep,
    DeepGear,
    DeepLimits,
    DeepWork,
    DirectDeep,
    Effort,
    RestoreDeep,
)
from spark_jupyter.protocol.messages import Command, Prompt, Steer
from spark_jupyter.protocol.provider_messages import Configure, OwnKeyChanged, SetOwnKey
from spark_jupyter.protocol.values import Serving, TierInfo, Turn
from spark_jupyter.providers.base import tier_name
from spark_jupyter.routing.image_gate import ImageGate
from spark_jupyter.routing.link import Connect, Link, LinkKeeper, linker
from spark_jupyter.routing.own_keys import OwnKeys
from spark_jupyter.session.job_owners import DeepOwner, Owner
from spark_jupyter.session.session import Session
from spark_jupyter.session.transitions import MOST_REPAIRS
from spark_jupyter.session.turn_meter import costs

DEEP_COMMANDS = BeginDeep | DirectDeep | RestoreDeep


class Routing:
    """The links of one session, and what follows for the session from the link of turns.

    ``own`` is the kernel's configuration as it begins, ``effort`` how much a model may think (None: as its profile says), ``no_try`` why
    nothing can be tried. ``announce`` is called when another provider answers, or it is known who does. Only used on the engine's loop.
    """

    def __init__(
        self,
        session: Session,
        connect: Connect,
        own: Configure,
        *,
        effort: str | None,
        no_try: str,
        announce: Callable[[], None],
    ) -> None:
        self.turns = LinkKeeper(connect, made=self._linked)
        self.deep = DeepLinks(
            session, self.turns, chosen=own.deep or ChooseDeep(), no_try=no_try, made=self._deep_changed
        )
        self.images = ImageGate()
        self._own_keys = OwnKeys()
        self.policy = Policy()
        """Limits of administrators and of the notebooks' authors."""
        self._session = session
        self._effort = effort
        self._trust_local = own.withhold == "remote"
        self._repairs = own.repair != "off"
        self._announce = announce

    async def link_of(self, owner: Owner, turns: Iterable[Turn], *, fallback: bool = False) -> Link:
        """The link for an owner's request, with the key of the person who prompted its one of the ``turns`` where one is kept;
        ``fallback``: that of the second provider. Raises what making it raised."""
        if isinstance(owner, DeepOwner):
            keeper = self.deep.keeper(owner)
            return await (keeper.fallback() if fallback else keeper.get())
        link = await (self.turns.fallback() if fallback else self.turns.get())
        by = next((turn.by for turn in turns if turn.id == owner.turn_id), None)
        return await self._own_keys.link_of(by, link)

    async def set_own_key(self, command: SetOwnKey) -> OwnKeyChanged:
        """Keep a person's own key for the provider of turns, or forget it. Raises where there is no link or no place for keys."""
        return await self._own_keys.change(command, await self.turns.get())

    def serving(self) -> Serving:
        """How the model of turns is served, with prices and measured speeds."""
        link, jobs = self.turns.link, self._session.jobs
        if link is None:
            return Serving()
        model = self._session.model or link.model
        names = ("", *link.tiers) if link.tiers else ()
        return Serving(
            tier=tier_name(jobs.tier),
            tiers=tuple(_tier_info(link, model, name, jobs.speeds.get((model, name), 0.0)) for name in names),
            ending=link.ending(model),
            **_mode_of(link),
        )

    def choose_mode(self, mode: str | None) -> None:
        """Have the agent of turns work in that mode of its own from the next request on; None: in the same as before."""
        link = self.turns.link
        if mode is not None and link is not None and isinstance(link.connection, AgentLink):
            link.connection.mode = mode

    def costs(self, command: Command) -> bool:
        """True if a command may send a request that costs money."""
        session, jobs = self._session, self._session.jobs
        match command:
            case Prompt(takes=takes) if takes:
                return False
            case Prompt(attempts=attempts):
                return any(map(jobs.costs, attempts.models or (command.model or session.model,)))
            case Steer(steers=steers):
                model = next((turn.model for turn in session.turns if turn.id == steers), "")
                return jobs.costs(model or session.model)
            case BeginDeep() | DirectDeep(what="go-on"):
                return self.deep.costs(command.work_id)
            case _:
                return False

    def withholds(self, link: Link) -> bool:
        """True if credentials are withheld from a link's provider, and from other providers that may answer in its place."""
        near = link.local and (link.fallback is None or link.fallback.local)
        return not (self._trust_local and near) or self.deep.elsewhere

    async def use(self, connect: Connect) -> Link:
        """Let another provider answer. Raises what making the link raised, and :class:`~spark_jupyter.exceptions.SessionError` while
        something streams from the one before."""
        if self._session.streaming:
            raise SessionError("An answer is still streaming.", remedy="Cancel it, or wait until it has ended.")
        self.deep.refuse_while_running()
        link = await self.turns.replace(connect)
        await self._own_keys.close()
        await self.deep.reconnect()
        self._session.model = link.model
        self._linked(link)
        return link

    async def choose_deep(self, wish: ChooseDeep) -> None:
        """Let another provider, model or effort do deep work from the next on."""
        await self.deep.choose(wish)
        self._deep_changed()

    async def fall_back_to(self, profile: str | None) -> None:
        """Ask another provider where the first can't answer; None: the one that was configured with it. Raises
        :class:`~spark_jupyter.exceptions.ConfigurationError` for one that does not exist; then nothing changes."""
        await self.turns.fall_back_to(profile)
        if self.turns.link is not None:
            self._linked(self.turns.link)

    def think(self, effort: str | None) -> None:
        """Let the model think so much, from the next request on."""
        self._effort = effort
        if self.turns.link is not None:
            self._apply(self.turns.link)

    def trust(self, *, local: bool) -> None:
        """Set if credentials may go to a model on this machine."""
        self._trust_local = local
        self._withhold()

    def repair(self, mode: str | None) -> None:
        """Set if cells that failed in a copy are repaired unasked; "off": they are not."""
        self._repairs = mode != "off"
        if self.turns.link is not None:
            self._apply(self.turns.link)

    def hold(self, policy: Policy) -> None:
        """Hold requests to these limits from now on."""
        self.policy = policy
        if self.turns.link is not None:
            self._apply(self.turns.link)

    async def close(self) -> None:
        await self.turns.close()
        await self._own_keys.close()
        await self.deep.close()

    def _linked(self, link: Link) -> None:
        """There is a link for turns, or another one."""
        self._apply(link)
        self._announce()

    def _deep_changed(self) -> None:
        if self.turns.link is not None:
            self._session.jobs.deep_tier = self.deep.gear.tier or self.turns.link.deep_tier
        self._withhold()
        self._announce()

    def _apply(self, link: Link) -> None:
        session = self._session
        session.model = session.model or link.model
        session.jobs.price = link.price
        session.jobs.effort = self._effort or link.effort
        session.jobs.deep_tier = self.deep.gear.tier or link.deep_tier
        if session.jobs.profile_tier != link.tier:
            session.jobs.tier = session.jobs.profile_tier = link.tier
        session.jobs.fallback = link.fallback.told if link.fallback is not None else None
        session.checked_attempts = 1 if self.policy.refusal("attempts") else link.attempts
        session.dialogue.talk_to(link.provider)
        # the embedded server would write the same again
        session.repairs = MOST_REPAIRS if self._repairs and not link.offline else 0
        session.dialogue.window = link.window
        session.dialogue.most_output = link.most_output
        session.dialogue.withholds = self.withholds(link)

    def _withhold(self) -> None:
        self._session.dialogue.withholds = self.turns.link is None or self.withholds(self.turns.link)


def _mode_of(link: Link) -> dict[str, Any]:
    agent = link.connection
    return {"mode": agent.mode, "modes": agent.modes} if isinstance(agent, AgentLink) else {}


def _tier_info(link: Link, model: str, name: str, speed: float) -> TierInfo:
    price = link.price(f"{model}@{name}" if name else model)
    known = {} if price is None else {"input_price": price.input_price, "output_price": price.output_price}
    return TierInfo(name=name, speed=round(speed), **known)


class DeepLinks:
    """The links of deep work, and the choice of who does it. ``turns`` keeps the link of turns; ``made`` is called when it is known who
    does deep work."""

    def __init__(
        self, session: Session, turns: LinkKeeper, *, chosen: ChooseDeep, no_try: str, made: Callable[[], None]
    ) -> None:
        self._session = session
        self._turns = turns
        self._announce = made
        self._chosen = ""
        self._asked: set[str] = set()
        self._gear = DeepGear(unavailable=no_try)
        self._limits = DeepLimits()
        self._lanes = LinkKeeper(self._connect_fast, made=lambda link: None)
        self._deep = LinkKeeper(self._connect_deep, made=self._made)
        self._take(chosen)

    @property
    def gear(self) -> DeepGear:
        """Provider and model of deep work, as far as known."""
        gear, link = structs.replace(self._gear, provider=self._profile), self._known
        limits = self._limits if link is None else self._limits.above(link.deep_limits)
        gear = structs.replace(gear, budget=limits.budget)
        if link is None:
            return gear
        effort = gear.effort or cast(Effort, link.deep_effort)
        model = gear.model or link.deep_model or link.model
        return structs.replace(gear, model=model, effort=effort, windows=link.windows)

    @property
    def elsewhere(self) -> bool:
        """True if deep work goes to another provider than turns."""
        return bool(self._profile)

    @property
    def _profile(self) -> str:
        """Another provider that does deep work: the one that was chosen, or else that the profile of turns names."""
        link = self._turns.link
        return self._chosen or (link.deep_profile if link is not None else "")

    def keeper(self, owner: DeepOwner) -> LinkKeeper:
        return self._lanes if owner.fast else self._deep

    async def choose(self, wish: ChooseDeep) -> None:
        """Let another one do deep work from the next on."""
        if wish.profile is not None and wish.profile != self._chosen:
            await self.reconnect()
        self._take(wish)

    async def reconnect(self) -> None:
        """Let the next request open a new connection. Raises :class:`~spark_jupyter.exceptions.SessionError` while deep work needs
        it."""
        self.refuse_while_running()
        await self.close()
        self._lanes = LinkKeeper(self._connect_fast, made=lambda link: None)
        self._deep = LinkKeeper(self._connect_deep, made=self._made)

    def refuse_while_running(self) -> None:
        """Raise :class:`~spark_jupyter.exceptions.SessionError` while deep work is under way."""
        if any(work.running for work in self._session.deep_works):
            raise SessionError("Deep work is under way.", remedy="Wait, pause it, or cancel it: %spark deep cancel")

    def costs(self, work_id: str) -> bool:
        """True if continuing a deep work may cost money."""
        work = self._work(work_id)
        model = (work.model if work is not None else "") or self.gear.model
        price = self._known.price(model) if self._known is not None else None
        return costs(price) or (self._gear.lanes > 0 and self._session.jobs.costs(self._session.model))

    def prepare(self, command: BeginDeep | DirectDeep | RestoreDeep) -> Prompt | None:
        """Make ready for a command. Returns the prompt for which the kernel is to be read, None where it need not be.

        Raises :class:`~spark_jupyter.exceptions.SessionError` where nothing can be tried."""
        if not isinstance(command, DirectDeep):
            self._session.deep.gear = self.gear
        if isinstance(command, RestoreDeep) or (isinstance(command, DirectDeep) and command.what != "go-on"):
            return None
        if self._gear.unavailable:
            raise SessionError(
                f"Deep work runs what it writes in a copy of the kernel. {self._gear.unavailable}",
                remedy="Send it as a prompt.",
            )
        if isinstance(command, BeginDeep):
            self._asked.add(command.text)
            return Prompt(
                turn_id=command.work_id,
                text=command.text,
                target=command.target,
                cells=command.cells,
                active=command.active,
                images=command.images,
            )
        work = self._work(command.work_id)
        if work is None:
            return None
        # What a notebook brought along may point at anything of this person's: only their own words are followed.
        text = work.prompt if work.prompt in self._asked else without_marks(work.prompt)
        return Prompt(turn_id=work.id, text=text, cells=command.cells or ())

    async def close(self) -> None:
        await self._lanes.close()
        await self._deep.close()

    @property
    def _known(self) -> Link | None:
        """The link of deep work, or one to where that will lead."""
        return self._deep.link or (None if self._profile else self._turns.link)

    def _work(self, work_id: str) -> DeepWork | None:
        return next((work for work in self._session.deep_works if work.id == work_id), None)

    def _take(self, wish: ChooseDeep) -> None:
        chosen = {
            name: value for name in ("model", "effort", "tier", "lanes") if (value := getattr(wish, name)) is not None
        }
        if wish.budget is not None:
            self._limits = wish.budget
        if wish.profile is not None and wish.profile != self._chosen:
            self._chosen = wish.profile
            chosen.setdefault("model", "")  # the name of one there
        self._gear = structs.replace(self._gear, **chosen)

    def _made(self, link: Link) -> None:
        self._session.jobs.deep_price = link.price
        self._session.deep.allow(self.gear.budget)
        if self._profile:  # else it was known before who does it
            self._announce()

    async def _connect_fast(self) -> Link:
        return await self._turns.connect()

    async def _connect_deep(self) -> Link:
        from spark_jupyter.providers.profiles import Settings

        if self._chosen:
            return await linker(Settings(profile=self._chosen, beside=True))()
        link = await self._turns.connect()
        return await linker(Settings(profile=link.deep_profile, beside=True))() if link.deep_profile else link
