// The messages of the WebSocket: the other end of src/wire. docs/console.md lists every operation.

export const VERSION = 1;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

class Reader {
  constructor(view, at, end) { this.view = view; this.at = at; this.end = end; }
  more() { return this.at < this.end; }
  u8() { return this.view.getUint8(this.at++); }
  u16() { this.at += 2; return this.view.getUint16(this.at - 2, true); }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  i32() { this.at += 4; return this.view.getInt32(this.at - 4, true); }
  f32() { this.at += 4; return this.view.getFloat32(this.at - 4, true); }
  text() {
    const length = this.u32();
    const bytes = new Uint8Array(this.view.buffer, this.at, length);
    this.at += length;
    return decoder.decode(bytes);
  }
  texts() { return Array.from({ length: this.u32() }, () => this.text()); }
  flags(names) {
    const bits = this.u8();
    return Object.fromEntries(names.map((name, bit) => [name, (bits >> bit & 1) === 1]));
  }
}

function items(r) {
  return Array.from({ length: r.u32() }, () => ({
    text: r.text(), path: r.text(), ...r.flags(['enabled', 'checked']), items: items(r),
  }));
}

function control(r) {
  const state = {
    handle: r.u32(), kind: r.u8(), id: r.i32(), sub: r.i32(),
    area: { column: r.f32(), row: r.f32(), columns: r.f32(), rows: r.f32() },
    ...r.flags(['on', 'visible', 'enabled', 'locked', 'menu']),
    text: r.text(), options: r.text(), length: r.u32(), key: r.text(), tip: r.text(), message: r.text(), style: r.u8(),
  };
  state.headings = Array.from({ length: r.u32() }, () => ({
    title: r.text(), width: r.f32(), alignment: r.u8(), field: r.i32(),
  }));
  state.currentColumn = r.u32();
  state.covered = Array.from({ length: r.u32() }, () => ({ column: r.u16(), row: r.u16(), columns: r.u16(), rows: r.u16() }));
  return state;
}

const OPERATIONS = {
  1: ['hello', (r) => ({ version: r.u16(), grace: r.u32(), program: r.text() })],
  2: ['size', (r) => ({ columns: r.u16(), rows: r.u16() })],
  3: ['row', (r) => {
    const row = r.u16();
    const runs = [];
    while (r.more()) {
      runs.push({ column: r.u16(), attributes: r.u8(), foreground: r.u8(), background: r.u8(), text: r.text() });
    }
    return { row, runs };
  }],
  4: ['cursor', (r) => ({ column: r.u16(), row: r.u16(), mode: r.u8() })],
  5: ['control', control],
  6: ['removed', (r) => ({ handle: r.u32() })],
  7: ['list', (r) => {
    const state = { handle: r.u32(), generation: r.u32(), count: r.u32(), firstChanged: r.u32(), selected: [] };
    while (r.more()) state.selected.push(r.u32());
    return state;
  }],
  8: ['rows', (r) => ({ handle: r.u32(), generation: r.u32(), from: r.u32(), rows: r.texts() })],
  9: ['input', (r) => ({
    number: r.u32(), column: r.u16(), row: r.u16(), width: r.u32(), longest: r.u32(), cursor: r.u32(), scroll: r.u32(),
    ...r.flags(['insert', 'hidden', 'upper', 'guarded', 'edit', 'fresh']), keysDone: r.u32(), text: r.text(),
  })],
  10: ['inputClosed', (r) => ({ keysDone: r.u32() })],
  11: ['messageBox', (r) => ({
    number: r.u32(), title: r.text(), icon: r.text(), default: r.u32(), lines: r.texts(), buttons: r.texts(),
  })],
  12: ['messageBoxClosed', () => ({})],
  13: ['bell', () => ({})],
  14: ['menu', (r) => ({ items: items(r) })],
  15: ['messageLine', (r) => ({ segment: r.u8(), text: r.text() })],
  16: ['caption', (r) => ({ text: r.text() })],
  17: ['focus', (r) => ({ handle: r.u32() })],
  18: ['frameEnd', (r) => ({ sequence: r.u32(), barrier: r.u8() === 1 })],
  19: ['ended', (r) => ({ reason: r.u8(), message: r.text() })],
  21: ['menuFocus', () => ({})],
  22: ['popup', (r) => ({ number: r.u32(), column: r.u16(), row: r.u16(), items: items(r) })],
  23: ['popupClosed', () => ({})],
  20: ['document', (r) => ({ number: r.u32(), pages: r.u32(), title: r.text() })],
};

/** Calls `handlers[name](values)` for every operation of a message; unknown ones are skipped by their length. */
export function perform(buffer, handlers) {
  const view = new DataView(buffer);
  let at = 0;
  while (at < view.byteLength) {
    const known = OPERATIONS[view.getUint8(at)];
    const end = at + 5 + view.getUint32(at + 1, true);
    if (known) handlers[known[0]](known[1](new Reader(view, at + 5, end)));
    at = end;
  }
}

/** One operation of the page: parts are [type, value]. */
function operation(code, ...parts) {
  const bytes = [code, 0, 0, 0, 0];
  const number = (value, size) => {
    for (let byte = 0; byte < size; byte++) bytes.push(Math.floor(value / 2 ** (8 * byte)) & 255);
  };
  for (const [type, value] of parts) {
    if (type === 'text') {
      const text = encoder.encode(value);
      number(text.length, 4);
      for (const byte of text) bytes.push(byte);
    } else {
      number(value, type);
    }
  }
  const length = bytes.length - 5;
  for (let byte = 0; byte < 4; byte++) bytes[1 + byte] = length >> 8 * byte & 255;
  return new Uint8Array(bytes);
}

const act = (handle, code, ...parts) => operation(7, [4, handle], [1, code], ...parts);

export const attach = (width, height, ticket) => operation(1, [2, VERSION], [1, width], [1, height], ['text', ticket]);
export const key = (held, code, character) => operation(2, [1, held], [1, code], [4, character]);
export const text = (value) => operation(3, ['text', value]);
export const acknowledge = (sequence) => operation(4, [4, sequence]);
export const wantRows = (handle, from, count) => operation(5, [4, handle], [4, from], [4, count]);
export const field = () => operation(6);
export const focus = (handle) => act(handle, 0);
export const press = (handle) => act(handle, 1);
export const select = (handle, row, mode, extend) => act(handle, 2, [4, row], [1, mode], [1, extend ? 1 : 0]);
export const sort = (handle, column, descending) => act(handle, 3, [4, column], [1, descending ? 1 : 0]);
export const expand = (handle, row) => act(handle, 4, [4, row]);
export const value = (handle, content) => act(handle, 5, ['text', content]);
export const finish = (handle, eom) => act(handle, 6, [1, eom]);
export const search = (handle, from, start) => act(handle, 7, [4, from], ['text', start]);
export const cell = (handle, column, row, mode) => act(handle, 8, [4, column], [4, row], [1, mode]);
export const mouse = (column, row, bits) => operation(8, [2, column], [2, row], [1, bits]);
export const answer = (number, button) => operation(9, [4, number], [4, button]);
export const menu = (path) => operation(10, ['text', path]);
export const popup = (number, path) => operation(12, [4, number], ['text', path]);
export const wantMenu = (handle) => act(handle, 9);
