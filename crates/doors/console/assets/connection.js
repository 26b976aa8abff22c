// The socket of a program: it attaches with a ticket, and attaches again when the line was lost, for the time of grace.

import * as wire from './wire.js';

/** Sends a request to the server and returns its JSON; throws the server's words for an error. */
export async function call(path, body) {
  const options = body === undefined ? {} : {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  };
  const response = await fetch(`/programs/api/${path}`, options);
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(answer.error ?? 'The server refused the request'), { status: response.status });
  return answer;
}

export class Connection {
  /** `events` has attached(), message(buffer), lost(), gone(words). */
  constructor(id, cell, events) {
    this.id = id;
    this.cell = cell;
    this.events = events;
    this.grace = 60;
    this.over = false;
  }

  open(ticket) {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/programs/socket`);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      this.lostAt = 0;
      const { width, height } = this.cell();
      socket.send(wire.attach(width, height, ticket));
      this.events.attached();
    });
    socket.addEventListener('message', (event) => this.events.message(event.data));
    socket.addEventListener('close', () => {
      if (this.socket === socket && !this.over) this.lose();
    });
  }

  send(bytes) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(bytes);
  }

  lose() {
    this.lostAt ||= performance.now();
    this.events.lost();
    const waited = (performance.now() - this.lostAt) / 1000;
    if (waited > this.grace) {
      this.finish();
      this.events.gone('The program waited too long for this page');
      return;
    }
    this.timer = setTimeout(async () => {
      try {
        this.open((await call('attach', { id: this.id })).ticket);
      } catch (error) {
        // Without a status the server was not reached: it may come back.
        if (error.status === undefined) { this.lose(); return; }
        this.finish();
        this.events.gone(error.message);
      }
    }, Math.min(2000, 200 + waited * 200));
  }

  finish() {
    this.over = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }
}
