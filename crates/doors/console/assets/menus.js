// The menu bar and popup menus: buttons in panels, used by the mouse, by touch, or by the keyboard alone.
//
// An open menu takes all keys: the cursor keys move, Enter or a letter chooses, Escape closes one level. The server hears of
// the choice alone.

import * as wire from './wire.js';

const letterOf = (item) => item.path.slice(-1).toLowerCase();

/** A panel with the elements of one level; panels of the levels below are inside it. */
class Panel {
  constructor(items, menu, above = null) {
    this.menu = menu;
    this.above = above;
    this.element = document.createElement('div');
    this.element.className = 'menu-panel';
    this.element.setAttribute('role', 'menu');
    this.entries = [];
    for (const item of items) this.add(item);
    this.element.addEventListener('keydown', (event) => this.key(event));
  }

  add(item) {
    if (!item.text) { this.element.append(document.createElement('hr')); return; }
    const button = document.createElement('button');
    button.type = 'button';
    button.tabIndex = -1;
    button.setAttribute('role', item.checked ? 'menuitemcheckbox' : 'menuitem');
    if (item.checked) button.setAttribute('aria-checked', 'true');
    if (item.items.length) button.setAttribute('aria-haspopup', 'menu');
    button.disabled = !item.enabled;
    const [text, shortcut] = item.text.split('\t');
    const mark = document.createElement('span');
    mark.className = 'mark';
    mark.textContent = item.checked ? '✓' : '';
    const end = document.createElement('span');
    end.className = 'end';
    end.textContent = item.items.length ? '▸' : shortcut ?? '';
    button.append(mark, text, end);
    button.addEventListener('click', (event) => { event.stopPropagation(); this.use(item, button); });
    this.element.append(button);
    this.entries.push({ item, button });
  }

  get usable() { return this.entries.filter(({ button }) => !button.disabled); }

  focus() { this.usable[0]?.button.focus(); }

  use(item, button) {
    this.below?.element.remove();
    if (!item.items.length) { this.menu.choose(item.path); return; }
    this.below = new Panel(item.items, this.menu, this);
    button.after(this.below.element);
    this.below.element.style.left = `${button.offsetWidth - 4}px`;
    this.below.element.style.top = `${button.offsetTop}px`;
    keepInside(this.below.element);
    this.opener = button;
    this.below.focus();
  }

  closeBelow() {
    this.below?.element.remove();
    this.below = null;
    this.opener?.focus();
  }

  key(event) {
    const usable = this.usable;
    const at = usable.findIndex(({ button }) => button === document.activeElement);
    const step = (to) => usable[(to + usable.length) % usable.length]?.button.focus();
    const current = usable[at];
    const opens = current?.item.items.length > 0;
    event.stopPropagation();
    switch (event.key) {
      case 'ArrowDown': case 'Tab': step(event.shiftKey ? at - 1 : at + 1); break;
      case 'ArrowUp': step(at - 1); break;
      case 'Home': step(0); break;
      case 'End': step(-1); break;
      case 'ArrowRight': if (opens) this.use(current.item, current.button); else this.menu.sideways?.(1); break;
      case 'ArrowLeft': if (this.above) this.above.closeBelow(); else this.menu.sideways?.(-1); break;
      case 'Escape': if (this.above) this.above.closeBelow(); else this.menu.close(); break;
      case 'Enter': case ' ': return;
      default: {
        const found = usable.find(({ item }) => letterOf(item) === event.key.toLowerCase());
        if (found) { found.button.focus(); this.use(found.item, found.button); }
      }
    }
    event.preventDefault();
  }
}

/** Moves an element back into the window. */
function keepInside(element) {
  const { right, bottom } = element.getBoundingClientRect();
  const over = { x: right - window.innerWidth + 4, y: bottom - window.innerHeight + 4 };
  if (over.x > 0) element.style.left = `${Math.max(0, element.offsetLeft - over.x)}px`;
  if (over.y > 0) element.style.top = `${Math.max(0, element.offsetTop - over.y)}px`;
}

/** The menu bar of a program. `leave` gives the focus back. */
export class MenuBar {
  constructor(send, leave) {
    this.send = send;
    this.leave = leave;
    this.element = document.createElement('div');
    this.element.className = 'menus';
    this.element.setAttribute('role', 'menubar');
    this.onPointer = (event) => { if (this.open && !this.element.contains(event.target)) this.shut(); };
    document.addEventListener('pointerdown', this.onPointer);
  }

  set(items) {
    this.open = null;
    this.groups = items.filter((item) => item.text).map((item) => {
      const holder = document.createElement('div');
      const button = document.createElement('button');
      button.type = 'button';
      button.setAttribute('role', 'menuitem');
      button.textContent = item.text;
      button.disabled = !item.enabled;
      if (item.items.length) { button.setAttribute('aria-haspopup', 'menu'); button.setAttribute('aria-expanded', 'false'); }
      button.setAttribute('aria-keyshortcuts', `Alt+${letterOf(item)}`);
      button.addEventListener('click', () => (this.open?.item === item ? this.close() : this.show(item)));
      button.addEventListener('keydown', (event) => this.key(event, item));
      holder.append(button);
      return { item, holder, button };
    });
    this.element.replaceChildren(...this.groups.map(({ holder }) => holder));
  }

  group(item) { return this.groups.find((group) => group.item === item); }

  show(item) {
    this.shut();
    if (!item.items.length) { this.choose(item.path); return; }
    const { holder, button } = this.group(item);
    this.open = { item, panel: new Panel(item.items, this) };
    button.setAttribute('aria-expanded', 'true');
    holder.append(this.open.panel.element);
    keepInside(this.open.panel.element);
    this.open.panel.focus();
  }

  /** Closes the panel without moving the focus. */
  shut() {
    if (!this.open) return;
    this.group(this.open.item)?.button.setAttribute('aria-expanded', 'false');
    this.open.panel.element.remove();
    this.open = null;
  }

  close() {
    const { button } = this.group(this.open?.item) ?? {};
    this.shut();
    button?.focus();
  }

  choose(path) {
    this.shut();
    this.send(wire.menu(path));
    this.leave();
  }

  sideways(by) {
    const usable = this.groups.filter(({ button }) => !button.disabled);
    const at = usable.findIndex(({ item, button }) => item === this.open?.item || button === document.activeElement);
    const next = usable[(at + by + usable.length) % usable.length];
    if (!next) return;
    if (this.open && next.item.items.length) this.show(next.item);
    else { this.shut(); next.button.focus(); }
  }

  key(event, item) {
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') this.sideways(event.key === 'ArrowRight' ? 1 : -1);
    else if (event.key === 'ArrowDown' && item.items.length) this.show(item);
    else if (event.key === 'Escape') this.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The focus goes to the bar. */
  focus() { this.groups?.find(({ button }) => !button.disabled)?.button.focus(); }

  /** Opens the group of an Alt key; false if no group has this key. */
  hotKey(letter) {
    const group = this.groups?.find(({ item, button }) => letterOf(item) === letter && !button.disabled);
    if (group) this.show(group.item);
    return Boolean(group);
  }

  remove() { document.removeEventListener('pointerdown', this.onPointer); }
}

/** A popup menu, at a cell of the screen. */
export class PopupMenu {
  constructor(plane, send) {
    this.plane = plane;
    this.send = send;
    this.onPointer = (event) => { if (!this.panel?.element.contains(event.target)) this.close(); };
  }

  open({ number, column, row, items }) {
    this.shut();
    this.number = number;
    this.panel = new Panel(items, this);
    const { element } = this.panel;
    this.plane.element.append(element);
    element.style.left = `${column * this.plane.cell.width}px`;
    element.style.top = `${row * this.plane.cell.height}px`;
    keepInside(element);
    this.panel.focus();
    document.addEventListener('pointerdown', this.onPointer);
  }

  get isOpen() { return Boolean(this.panel); }

  choose(path) { this.send(wire.popup(this.number, path)); }

  close() { this.send(wire.popup(this.number, '')); }

  shut() {
    document.removeEventListener('pointerdown', this.onPointer);
    this.panel?.element.remove();
    this.panel = null;
  }
}
