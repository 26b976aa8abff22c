// The page of a running program: it performs frames, acknowledges them when they are painted, and sends keys.

import * as wire from './wire.js';
import { Connection, call } from './connection.js';
import { Controls } from './controls.js';
import { Field } from './field.js';
import { MenuBar, PopupMenu } from './menus.js';
import { MessageBox, printedItem } from './panels.js';
import { Plane } from './plane.js';
import { keyNamed, keyOf } from './keys.js';

const PHONE_KEYS = ['Escape', 'Tab', 'F1', 'F2', 'F3', 'F4', 'ArrowUp', 'ArrowDown', 'Enter'];

function element(name, className, ...children) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}

function button(text, action) {
  const made = element('button', '', text);
  made.type = 'button';
  made.addEventListener('click', action);
  return made;
}

export class Program {
  constructor(main, id, leave) {
    this.id = id;
    this.leave = leave;
    const send = (bytes) => this.connection.send(bytes);
    this.title = element('span', 'title');
    this.menu = new MenuBar(send, () => this.refocusNow());
    this.stop = button('End program', () => this.end());
    this.bar = element('div', 'bar', this.title, this.menu.element, this.stop);
    this.screen = element('div', 'screen');
    this.screen.tabIndex = -1;
    this.message = element('div', 'message');
    this.message.setAttribute('aria-live', 'polite');
    this.keys = element('div', 'bar keys', ...PHONE_KEYS.map((name) => button(name.replace('Arrow', ''), () => {
      this.field.press(keyNamed(name));
      if (!this.field.element.hidden) this.field.element.focus();
    })));
    this.printed = element('ul', 'printed');
    this.printed.setAttribute('aria-label', 'Printed documents');
    this.printed.setAttribute('aria-live', 'polite');
    this.printed.hidden = true;
    this.notice = element('div', 'notice');
    this.notice.setAttribute('role', 'status');
    this.notice.hidden = true;
    main.replaceChildren(this.bar, element('div', 'scroller', this.screen), this.message, this.printed, this.keys, this.notice);
    this.plane = new Plane(this.screen);
    this.field = new Field(this.plane, {
      key: (key) => send(wire.key(key.held, key.code, key.character ?? 0)),
      text: (text) => send(wire.text(text)),
      focus: () => send(wire.field()),
    });
    this.screen.append(this.field.element);
    this.controls = new Controls(this.plane, send);
    this.box = new MessageBox(send);
    this.popup = new PopupMenu(this.plane, send);
    this.frames = { count: 0 };
    this.listen(send);
    this.connection = new Connection(id, () => ({ width: Math.min(255, this.plane.cell.width), height: Math.min(255, this.plane.cell.height) }), {
      attached: () => { this.field.reset(); this.notify(''); },
      message: (buffer) => wire.perform(buffer, this.handlers),
      lost: () => this.notify('The connection is lost; trying to reach the program again'),
      gone: (words) => this.finish(words),
    });
    this.handlers = this.makeHandlers(send);
  }

  listen(send) {
    this.onKey = (event) => this.keydown(event);
    document.addEventListener('keydown', this.onKey);
    this.onResize = () => { this.plane.measure(); this.plane.place(); this.controls.relayout(); };
    window.addEventListener('resize', this.onResize);
    for (const [name, down] of [['mousedown', 1], ['mouseup', 0]]) {
      this.screen.addEventListener(name, (event) => {
        if (event.target.closest('.control, .list, .field, .menus, .menu-panel') || event.button > 2 || event.button === 1) return;
        const { column, row } = this.plane.cellAt(event);
        send(wire.mouse(column, row, down | (event.button === 2 ? 2 : 0)));
        // The field keeps the focus when the text around it is clicked, unless text was selected to be copied.
        if (!down && !this.field.element.hidden && getSelection().isCollapsed) this.field.element.focus();
      });
    }
  }

  makeHandlers(send) {
    return {
      hello: ({ program, grace }) => {
        this.connection.grace = grace;
        this.name = program;
        this.setTitle(program);
      },
      size: (size) => {
        this.printed.replaceChildren();
        this.printed.hidden = true;
        this.controls.clear();
        this.popup.shut();
        this.field.close(0);
        this.field.reset();
        this.plane.resize(size);
      },
      row: (row) => this.plane.draw(row),
      cursor: (cursor) => this.plane.showCursor(cursor),
      control: (state) => this.controls.update(state),
      removed: (control) => this.controls.remove(control),
      list: (list) => this.controls.all.get(list.handle)?.change(list),
      rows: (rows) => this.controls.all.get(rows.handle)?.receive(rows),
      focus: ({ handle }) => { this.focused = handle; this.refocus = true; },
      input: (input) => { if (this.field.update(input)) this.refocus = true; },
      inputClosed: ({ keysDone }) => this.field.close(keysDone),
      messageBox: (box) => this.box.open(box),
      messageBoxClosed: () => { this.box.close(); this.refocus = true; },
      bell: () => { this.screen.animate?.([{ opacity: 0.6 }, { opacity: 1 }], 120); },
      menu: ({ items }) => this.menu.set(items),
      menuFocus: () => this.menu.focus(),
      popup: (menu) => this.popup.open(menu),
      popupClosed: () => { this.popup.shut(); this.refocus = true; },
      messageLine: ({ segment, text }) => {
        while (this.message.children.length <= segment) this.message.append(document.createElement('span'));
        this.message.children[segment].textContent = text;
      },
      document: (document) => {
        this.printed.append(printedItem({ ...document, id: this.id }));
        this.printed.hidden = false;
      },
      caption: ({ text }) => this.setTitle(text || this.name),
      frameEnd: ({ sequence }) => this.finishFrame(sequence, send),
      ended: ({ reason, message }) => {
        this.finish(message || ['The program has ended', 'The program is shown on another page', 'The program is not available'][reason], reason === 0);
      },
    };
  }

  /** Puts the focus where the program has it, and acknowledges the frame when it is painted. */
  finishFrame(sequence, send) {
    if (this.refocus && !this.box.dialog.open && !this.popup.isOpen) this.refocusNow();
    let done = false;
    const painted = () => {
      if (done) return;
      done = true;
      this.frames.count++;
      send(wire.acknowledge(sequence));
    };
    // The frame is on the screen after the next one began. A page in the background paints nothing: time has to do.
    if (document.hidden) setTimeout(painted);
    else { requestAnimationFrame(() => setTimeout(painted)); setTimeout(painted, 250); }
  }

  /** Puts the focus where the program has it. */
  refocusNow() {
    const taken = this.focused && this.controls.focus(this.focused);
    if (!taken && !this.field.element.hidden) { this.field.element.focus({ preventScroll: true }); this.field.show(); }
    this.refocus = false;
  }

  setTitle(text) {
    this.title.textContent = text;
    document.title = text;
  }

  notify(words) {
    this.notice.textContent = words;
    this.notice.hidden = !words;
  }

  /** Keys that no control has taken. */
  keydown(event) {
    const key = keyOf(event);
    if (!key || this.box.dialog.open || this.popup.isOpen || this.over) return;
    // Control and C copies selected text; without a selection it is the break key.
    if (key.held & 2 && !getSelection().isCollapsed) return;
    const inField = event.target === this.field.element;
    const inControl = event.target.closest?.('.control, .rows, .bar, dialog');
    if (key.held & 4 && key.code === 0 && this.hotKey(key.name.toLowerCase())) { event.preventDefault(); return; }
    // Shift and F10 wants the menu of a control, as the right button does.
    const around = key.code === 110 && key.held & 1 ? this.controls.around(event.target) : undefined;
    if (around?.state.menu) { event.preventDefault(); this.connection.send(wire.wantMenu(around.state.handle)); return; }
    const isFunction = key.code > 100 || key.name === 'Escape';
    if (inControl && !isFunction) return;
    // Tab walks through the page as usual, unless there is nothing else or the program wants it.
    if (key.code === 2 || key.code === 3) {
      if (!inField || (this.controls.all.size && !this.field.state?.edit)) return;
    }
    // Keyboards of phones and composition give text in another event.
    if (inField && key.code === 0 && event.key === 'Unidentified') return;
    event.preventDefault();
    if (!inField && !inControl && !this.field.element.hidden) this.field.element.focus();
    this.field.press(key);
  }

  hotKey(letter) {
    if (this.menu.hotKey(letter)) return true;
    const control = this.controls.byKey(letter);
    if (!control) return false;
    control.refocus();
    if (control.kind !== undefined && control.kind <= 2) control.input.click();
    return true;
  }

  open(ticket) { this.connection.open(ticket); }

  async end() {
    await call('end', { id: this.id }).catch(() => {});
  }

  /** Ends the page of a program; its lists can be read on while the socket stays. */
  finish(words, staysOpen = false) {
    if (this.over) return;
    this.over = true;
    if (staysOpen) this.connection.over = true;
    else this.connection.finish();
    this.box.close();
    this.popup.shut();
    this.field.element.disabled = true;
    this.notify(words);
    this.stop.hidden = true;
    this.bar.append(button('Back to the programs', () => this.close()));
    this.bar.lastChild.focus();
  }

  close() {
    document.removeEventListener('keydown', this.onKey);
    window.removeEventListener('resize', this.onResize);
    this.connection.finish();
    this.box.remove();
    this.menu.remove();
    this.popup.shut();
    this.leave();
  }
}
