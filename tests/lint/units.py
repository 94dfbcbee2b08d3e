"""The systemd units: what a strict one needs to start at all, and what one of a service must not lack."""

import tree

ALWAYS = ("NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes", "UMask=0077")


def check():
    for name in tree.files():
        if not (name.startswith("deploy/systemd/") and name.endswith(".service")):
            continue
        lines = tree.text(name).splitlines()
        yield from (f"{name}: {setting} is missing" for setting in ALWAYS if setting not in lines)
        # A strict file system is read-only: temporary folders (a device's start-up proof, a witness) fail.
        if "ProtectSystem=strict" in lines and "PrivateTmp=yes" not in lines:
            yield f"{name}: ProtectSystem=strict leaves /tmp read-only; add PrivateTmp=yes"
