"""Choice of a default model; retirement and image input of models."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_jupyter.protocol.values import ModelInfo
    from spark_jupyter.providers.profile import Profile


def preferred(profile: Profile, listed: Iterable[ModelInfo], *, today: datetime.date) -> str:
    """The newest model of the first family of ``profile`` that the provider lists and does not retire within a month; the profile's own
    model where there is none."""
    ids = [model.id for model in listed if not ends_by(profile, model.id, model.retires, today + _NOTICE)]
    for family in profile.families:
        if members := [each for each in ids if re.fullmatch(family, each)]:
            return max(members, key=_version)
    return profile.model


_NOTICE = datetime.timedelta(days=30)


def _version(name: str) -> tuple[list[int], int]:
    """The numbers in a name; of equal ones the shortest name is the newest, which no date or preview follows."""
    return [int(digits) for digits in re.findall(r"\d+", name)], -len(name)


def reads_images(profile: Profile, model: str, listed: bool | None = None) -> bool | None:
    """True if the model reads images, by the provider's list or else by the profile; None where neither says."""
    if listed is not None or profile.images is None or not model:
        return listed
    return any(re.fullmatch(family, model) for family in profile.images)


_LOGINS = {
    "azure": "You are signed in with Entra ID.",
    "aws": "Requests are signed with your AWS login.",
    "google": "You are signed in with Google Cloud's application default credentials.",
}


def service_text(profile: Profile, model: str, listed_images: bool | None, *, signs_in: bool) -> str:
    """Sentences on images, tiers, the time for answers at a lower price, and the cloud login (where it ``signs_in`` without a key)."""
    reads = {True: "reads images", False: "reads no images", None: "is shown a test image before the first one"}
    tiers = f"Tiers: {', '.join(profile.tiers)} (in use: {profile.tier or 'standard'})." if profile.tiers else ""
    windows = f"Answers within {' or '.join(profile.windows)} cost less in deep work." if profile.windows else ""
    login = _LOGINS.get(profile.auth, "") if signs_in else ""
    images = f"The model {model} {reads[reads_images(profile, model, listed_images)]}." if model else ""
    return " ".join(filter(None, (login, images, tiers, windows)))


def ends_by(profile: Profile, model: str, retires: str, day: datetime.date) -> bool:
    """True if the model is retired by that day. ``retires`` is what the provider's list says of it."""
    date = _date(profile, model, retires)
    return date is not None and date <= day


def retirement(profile: Profile, model: str, retires: str = "", *, today: datetime.date) -> str:
    """A sentence on the model's end and its successor; empty where no end is known."""
    date = _date(profile, model, retires)
    if date is None:
        return ""
    known = profile.retired.get(model)
    successor = known.successor if known is not None and known.successor != model else ""
    remedy = f"Use %spark model {successor}." if successor else "Choose another one with %spark model NAME."
    tense = "was retired on" if date <= today else "will be retired on"
    return f"{model} {tense} {date.day} {date:%B %Y}. {remedy}"


def _date(profile: Profile, model: str, retires: str) -> datetime.date | None:
    known = profile.retired.get(model)
    try:
        return datetime.date.fromisoformat(retires[:10])
    except ValueError:
        return known.on if known is not None else None
