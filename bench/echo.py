"""A bare echo over a FastAPI WebSocket: what a table's server is measured against."""

from contextlib import suppress

from fastapi import FastAPI, WebSocket, WebSocketDisconnect

app = FastAPI()


@app.websocket("/echo")
async def echo(socket: WebSocket) -> None:
    """Say everything back."""
    await socket.accept()
    with suppress(WebSocketDisconnect):
        while True:
            await socket.send_text(await socket.receive_text())
