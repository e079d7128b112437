"""Keys of a server on loopback, and the certificate by which a client trusts it."""

import subprocess
from pathlib import Path

from servers.jars import java
from servers.loopback import HOST

PASSWORD = "open sesame"  # noqa: S105 (of servers on loopback)
KEYS = "keys.p12"


def certificate_in(directory: Path) -> Path:
    """Make the server's key; its own certificate is the authority that clients trust."""
    tool = [str(Path(java()).with_name("keytool")) if "/" in java() else "keytool"]
    keys = ["-keystore", str(directory / KEYS), "-storepass", PASSWORD, "-alias", "server"]
    who = ["-dname", "CN=localhost", "-ext", f"san=ip:{HOST},dns:localhost"]
    kind = ["-keyalg", "RSA", "-validity", "2", "-storetype", "PKCS12"]
    subprocess.run([*tool, "-genkeypair", *keys, *who, *kind], check=True, capture_output=True)
    exported = subprocess.run(
        [*tool, "-exportcert", "-rfc", *keys], check=True, capture_output=True
    )
    path = directory / "ca.pem"
    path.write_bytes(exported.stdout)
    return path
