"""What OpenSSL makes of a message with AES, as the `cryptography` package offers it.

The text of a message with a wrong tag is empty: OpenSSL hands none out. The package takes its time
to load, and who reads a spec needs none of it: each function loads what it uses.
"""

from typing import Any

from roundsmith.reference.messages import Question, Reply


def text(question: Question, mode: Any) -> Reply:
    """Return the text that a `mode` of the package makes."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

    cipher = Cipher(algorithms.AES(question.key), mode)
    context = cipher.decryptor() if question.decrypt else cipher.encryptor()
    return Reply(context.update(question.text) + context.finalize())


def ecb(question: Question) -> Reply:
    """Return the answer in ECB."""
    from cryptography.hazmat.primitives.ciphers import modes

    return text(question, modes.ECB())


def cbc(question: Question) -> Reply:
    """Return the answer in CBC."""
    from cryptography.hazmat.primitives.ciphers import modes

    return text(question, modes.CBC(question.iv))


def cfb(question: Question) -> Reply:
    """Return the answer in CFB with segments of a block."""
    from cryptography.hazmat.decrepit.ciphers import modes

    return text(question, modes.CFB(question.iv))


def cfb8(question: Question) -> Reply:
    """Return the answer in CFB with segments of a byte."""
    from cryptography.hazmat.decrepit.ciphers import modes

    return text(question, modes.CFB8(question.iv))


def ofb(question: Question) -> Reply:
    """Return the answer in OFB."""
    from cryptography.hazmat.decrepit.ciphers import modes

    return text(question, modes.OFB(question.iv))


def ctr(question: Question) -> Reply:
    """Return the answer in CTR, whose counter has 128 bits."""
    from cryptography.hazmat.primitives.ciphers import modes

    return text(question, modes.CTR(question.iv))


def xts(question: Question) -> Reply:
    """Return the answer in XTS."""
    from cryptography.hazmat.primitives.ciphers import modes

    return text(question, modes.XTS(question.iv))


def cmac(question: Question) -> Reply:
    """Return the answer of CMAC."""
    from cryptography.hazmat.primitives.ciphers import algorithms
    from cryptography.hazmat.primitives.cmac import CMAC

    code = CMAC(algorithms.AES(question.key))
    code.update(question.text)
    tag = code.finalize()
    if question.decrypt:
        return Reply(b"", right=tag[: len(question.tag)] == question.tag)
    return Reply(b"", tag[: question.tag_bytes])


def gcm(question: Question) -> Reply:
    """Return the answer in GCM."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = algorithms.AES(question.key)
    if not question.decrypt:
        encryptor = Cipher(cipher, modes.GCM(question.iv)).encryptor()
        encryptor.authenticate_additional_data(question.aad)
        made = encryptor.update(question.text) + encryptor.finalize()
        return Reply(made, encryptor.tag[: question.tag_bytes])
    mode = modes.GCM(question.iv, question.tag, min_tag_length=4)
    decryptor = Cipher(cipher, mode).decryptor()
    decryptor.authenticate_additional_data(question.aad)
    made = decryptor.update(question.text)
    try:
        return Reply(made + decryptor.finalize())
    except InvalidTag:
        return Reply(b"", right=False)


def ccm(question: Question) -> Reply:
    """Return the answer in CCM."""
    from cryptography.hazmat.primitives.ciphers.aead import AESCCM

    tag_bytes = len(question.tag) if question.decrypt else question.tag_bytes
    return _boxed(question, AESCCM(question.key, tag_bytes))


def ocb(question: Question) -> Reply:
    """Return the answer in OCB3, whose tag has 16 bytes."""
    from cryptography.hazmat.primitives.ciphers.aead import AESOCB3

    return _boxed(question, AESOCB3(question.key))


def _boxed(question: Question, box: Any) -> Reply:
    from cryptography.exceptions import InvalidTag

    if question.decrypt:
        try:
            return Reply(box.decrypt(question.iv, question.text + question.tag, question.aad))
        except InvalidTag:
            return Reply(b"", right=False)
    made = box.encrypt(question.iv, question.text, question.aad)
    return Reply(made[: len(question.text)], made[len(question.text) :])
