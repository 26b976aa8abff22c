// Controls as elements of the browser. Their order in the page is that of their creation, which is that of the tab key.

import * as wire from './wire.js';
import { List } from './list.js';

const BUTTON = 0;
const CHECK_BOX = 1;
const RADIO_BUTTON = 2;
const LIST_BOX = 3;
const DROP_BOX = 4;
const GRID = 6;

/** A button, check box, radio button, drop box or text input. */
class Simple {
  constructor(plane, state, send) {
    this.plane = plane;
    this.send = send;
    this.handle = state.handle;
    this.kind = state.kind;
    this.rows = [];
    this.selected = [];
    this.make(state);
    this.input.addEventListener('focus', () => send(wire.focus(this.handle)));
    this.update(state);
  }

  get focusable() { return this.input; }

  make(state) {
    const { handle, send } = this;
    if (state.kind === BUTTON) {
      this.element = this.input = document.createElement('button');
      this.input.type = 'button';
      this.input.addEventListener('click', () => send(wire.press(handle)));
      this.element.className = 'control';
    } else if (state.kind === CHECK_BOX || state.kind === RADIO_BUTTON) {
      this.element = document.createElement('label');
      this.input = document.createElement('input');
      this.input.type = state.kind === CHECK_BOX ? 'checkbox' : 'radio';
      this.input.name = `group${state.id}`;
      this.input.addEventListener('change', () => send(wire.press(handle)));
      this.caption = document.createElement('span');
      this.element.append(this.input, this.caption);
      this.element.className = 'control label';
    } else if (state.kind === DROP_BOX) {
      this.element = this.input = document.createElement('select');
      this.input.addEventListener('change', () => send(wire.select(handle, this.input.selectedIndex, 1, false)));
      this.element.className = 'control plain';
    } else {
      this.makeText(state);
    }
  }

  makeText(state) {
    const { handle, send } = this;
    this.lines = state.area.rows >= 2;
    this.element = this.input = document.createElement(this.lines ? 'textarea' : 'input');
    if (!this.lines && state.options.includes('$')) this.input.type = 'password';
    this.element.className = 'control plain';
    this.input.addEventListener('input', () => {
      this.typing = performance.now();
      send(wire.value(handle, this.input.value));
    });
    this.input.addEventListener('blur', () => send(wire.finish(handle, 0)));
    this.input.addEventListener('keydown', (event) => {
      const number = /^F(\d{1,2})$/.exec(event.key)?.[1];
      if (event.key === 'Enter' && !this.lines) send(wire.finish(handle, 13));
      else if (event.key === 'Tab') send(wire.finish(handle, 9));
      else if (number && Number(number) < 11) send(wire.finish(handle, 0x80 + Number(number)));
      else return;
      if (event.key !== 'Tab') event.preventDefault();
      event.stopPropagation();
    });
  }

  update(state) {
    this.state = state;
    this.plane.put(this.element, { ...state.area, rows: state.kind === DROP_BOX ? Math.min(state.area.rows, 1.5) : state.area.rows });
    this.plane.cut(this.element, state.area, state.covered);
    this.element.hidden = !state.visible && !state.covered.length;
    this.input.disabled = !state.enabled;
    this.element.title = state.tip;
    if (state.key) this.input.setAttribute('aria-keyshortcuts', `Alt+${state.key}`);
    if (this.caption) {
      this.caption.textContent = state.text;
      this.input.checked = state.on;
    } else if (state.kind === BUTTON) {
      this.element.textContent = state.text;
    } else if (state.kind !== DROP_BOX) {
      this.input.readOnly = state.locked;
      if (state.length) this.input.maxLength = state.length;
      this.input.setAttribute('aria-label', state.tip || state.message || `Text ${state.id}`);
      // The server's text is that of a while ago when the user types.
      const typing = document.activeElement === this.input && performance.now() - (this.typing ?? -1e9) < 400;
      if (this.input.value !== state.text && !typing) this.input.value = state.text;
    } else {
      this.input.setAttribute('aria-label', state.tip || state.message || `Choice ${state.id}`);
    }
  }

  change({ generation, count, selected }) {
    Object.assign(this, { generation, count, selected });
    if (count) this.send(wire.wantRows(this.handle, 0, Math.min(count, 4096)));
    this.fill();
  }

  receive({ generation, from, rows }) {
    if (generation !== this.generation || from !== 0) return;
    if (rows.length >= Math.min(this.count, 4096)) this.rows = rows;
    this.fill();
  }

  fill() {
    const same = this.input.options.length === this.rows.length && this.rows.every((row, at) => this.input.options[at].text === row);
    if (!same) {
      this.input.replaceChildren(...this.rows.map((row) => {
        const option = document.createElement('option');
        option.textContent = row;
        return option;
      }));
    }
    this.input.selectedIndex = this.selected[0] ?? -1;
  }

  refocus() { this.input.focus({ preventScroll: true }); }

  remove() { this.element.remove(); }
}

export class Controls {
  constructor(plane, send) {
    this.plane = plane;
    this.send = send;
    this.all = new Map();
  }

  update(state) {
    const known = this.all.get(state.handle);
    if (known) return known.update(state);
    const control = state.kind === LIST_BOX || state.kind === GRID ? new List(this.plane, state, this.send) : new Simple(this.plane, state, this.send);
    this.all.set(state.handle, control);
    // The right button, a long touch, or the key for menus.
    control.element.addEventListener('contextmenu', (event) => {
      if (!control.state.menu) return;
      event.preventDefault();
      this.send(wire.wantMenu(state.handle));
    });
    this.plane.element.append(control.element);
    return undefined;
  }

  remove({ handle }) {
    this.all.get(handle)?.remove();
    this.all.delete(handle);
  }

  clear() {
    for (const handle of [...this.all.keys()]) this.remove({ handle });
  }

  focus(handle) {
    const control = this.all.get(handle);
    if (control && document.activeElement !== control.focusable) control.refocus();
    return Boolean(control);
  }

  /** The control that an element is part of. */
  around(element) { return [...this.all.values()].find((control) => control.element.contains(element)); }

  /** The control that has an Alt key. */
  byKey(key) {
    return [...this.all.values()].find(({ state }) => state.key === key && state.visible && state.enabled);
  }

  relayout() {
    for (const control of this.all.values()) control.update(control.state);
  }
}
