"""Requests over HTTP: connections that are kept, and repeats that cannot do anything twice."""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import random
import select
import socket
import threading
import time
import urllib.parse
import weakref
from typing import Any, Dict, Iterator, NamedTuple, Optional, Union

REPEATED = (408, 429, 502, 503, 504)  # answers that another try may improve
_LONGEST_WAIT = 30.0

Body = Optional[Union[str, bytes]]


class ServiceError(Exception):
    """The service refused. `status` is HTTP's, `code` a word for it, `field` what it is about (or None).

    >>> try:
    ...     experiment.decide([[0.1, 0.2]])
    ... except ServiceError as error:
    ...     print(error.status, error.code, error.field)
    400 bad_request actions[0]
    """

    def __init__(self, status: int, code: str, message: str, field: Optional[str] = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.field = status, code, message, field

    def __reduce__(self) -> Any:
        return type(self), (self.status, self.code, self.message, self.field)


class Unreachable(ConnectionError):
    """No answer, after all tries.

    >>> Client("http://127.0.0.1:1", retries=0).health()
    Traceback (most recent call last):
    ridgerunner.client.transport.Unreachable: http://127.0.0.1:1 gave no answer in 1 try: ... Connection refused
    """


class Interrupted(ConnectionError):
    """An import came to an end before its time: the service stayed away.

    `imported` says how many observations are in for certain; the next chunk may be in as well. With an import_id the
    whole import can be repeated.

    >>> Interrupted("no answer", 2000).imported
    2000
    """

    def __init__(self, message: str, imported: int = 0) -> None:
        super().__init__(message)
        self.imported = imported


class Answer(NamedTuple):
    status: int
    retry_after: Optional[float]
    body: bytes

    def value(self) -> Any:
        """The JSON of a success; an error otherwise."""
        if 200 <= self.status < 300:
            return json.loads(self.body)
        raise self.error()

    def error(self) -> ServiceError:
        try:
            told = json.loads(self.body)["error"]
            return ServiceError(self.status, told["code"], told["message"], told.get("field"))
        except (ValueError, KeyError, TypeError):
            text = self.body[:200].decode("utf-8", "replace").strip()
            return ServiceError(self.status, "http", f"HTTP status {self.status}: {text}")


class Transport:
    """One server's address, a connection for each thread, and the patience to ask again."""

    def __init__(self, url: str, token: Optional[str], timeout: float, retries: int, backoff: float) -> None:
        parts = urllib.parse.urlsplit(url)
        self.url, self.timeout, self.retries, self.backoff = url.rstrip("/"), timeout, retries, backoff
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname or "", parts.port
        self._prefix = parts.path.rstrip("/")
        self._headers: Dict[str, str] = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._mine = threading.local()
        self._all: "weakref.WeakSet[http.client.HTTPConnection]" = weakref.WeakSet()
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for connection in list(self._all):
                connection.close()

    def request(self, method: str, path: str, body: Body = None, *, content: str = "application/json",
                retries: Optional[int] = None) -> Answer:
        """Asks until there is an answer worth having. All that is asked may be done twice without harm."""
        tries = 1 + (self.retries if retries is None else retries)
        failure: Optional[Exception] = None
        for number in range(1, tries + 1):
            asked: Optional[float] = None
            try:
                answer = self._exchange(method, path, body, content)
            except _NoConnection as error:
                failure = error.reason
            except (OSError, http.client.HTTPException) as error:
                failure = error
            else:
                asked = answer.retry_after
                last = number == tries or (asked or 0) > _LONGEST_WAIT
                if answer.status not in REPEATED or last:
                    return answer
            if number < tries:
                self._wait(number, asked)
        raise Unreachable(f"{self.url} gave no answer in {tries} {'try' if tries == 1 else 'tries'}: "
                          f"{_words(failure)}") from failure

    def lines(self, path: str, timeout: float) -> Iterator[bytes]:
        """The lines of an answer that may be long or endless, on a connection of their own."""
        self._check_open()
        for number in range(1, self.retries + 2):
            connection = self._new_connection(timeout)
            try:
                response = self._opened(connection, path)
                if response.status == 200:
                    yield from response
                    return
                answer = _read(response)
                if answer.status not in REPEATED or number > self.retries:
                    raise answer.error()
            except _NoConnection as error:
                if number > self.retries:
                    raise Unreachable(f"{self.url} gave no answer: {_words(error.reason)}") from error.reason
            except (OSError, http.client.HTTPException) as error:
                raise Unreachable(f"{self.url}{path} broke off: {_words(error)}") from error
            finally:
                connection.close()
            self._wait(number, None)

    def _opened(self, connection: http.client.HTTPConnection, path: str) -> http.client.HTTPResponse:
        try:
            connection.request("GET", self._prefix + path, headers=self._headers)
            return connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise _NoConnection(error) from error

    def _exchange(self, method: str, path: str, body: Body, content: str) -> Answer:
        connection = self._connection()
        headers = dict(self._headers)
        if body is not None:
            body = body.encode() if isinstance(body, str) else body
            headers["Content-Type"] = content
        try:
            try:
                connection.request(method, self._prefix + path, body, headers)
            except (BrokenPipeError, ConnectionResetError):
                # A server may refuse a body before it has read it all; then the refusal is there to be read.
                return _read(connection.getresponse())
            return _read(connection.getresponse())
        except BaseException:
            connection.close()  # whatever comes on it now would be taken for the next answer
            raise

    def _connection(self) -> http.client.HTTPConnection:
        """This thread's connection, open. One that the server has closed meanwhile is replaced."""
        connection = getattr(self._mine, "connection", None)
        if connection is None or self._mine.process != os.getpid():  # after a fork the parent goes on using it
            connection = self._new_connection(self.timeout)
            self._mine.connection, self._mine.process = connection, os.getpid()
        if connection.sock is not None and _has_ended(connection.sock):
            connection.close()
        if connection.sock is None:
            self._check_open()
            try:
                connection.connect()
            except OSError as error:
                connection.close()
                raise _NoConnection(error) from error
        return connection

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the client is closed")

    def _new_connection(self, timeout: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=timeout)
        with self._lock:
            self._all.add(connection)
        return connection

    def _wait(self, number: int, asked: Optional[float]) -> None:
        """Longer each time, and not the same for everybody; never shorter than the server asked for."""
        own = min(self.backoff * 2.0 ** (number - 1), _LONGEST_WAIT) * random.uniform(0.5, 1.0)
        time.sleep(max(own, asked or 0.0))


class _NoConnection(Exception):
    """Nothing was sent."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(reason)
        self.reason = reason


def _has_ended(sock: socket.socket) -> bool:
    """Nothing is expected on an idle connection, so anything to read is its end."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


def _read(response: http.client.HTTPResponse) -> Answer:
    return Answer(response.status, _seconds(response.getheader("Retry-After")), response.read())


def _seconds(text: Optional[str]) -> Optional[float]:
    """What Retry-After asks for: seconds, or a date."""
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _words(error: Optional[Exception]) -> str:
    return str(error) or type(error).__name__
