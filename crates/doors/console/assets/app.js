// The page: login, the list of programs, and the program that is open. The address keeps the open program, so that a reload
// attaches to it again.

import { call } from './connection.js';
import { printedItem } from './panels.js';
import { Program } from './program.js';

const main = document.getElementById('main');

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function showLogin(words = '') {
  document.title = 'Log in';
  const name = element('input', { name: 'name', autocomplete: 'username', required: true });
  const password = element('input', { name: 'password', type: 'password', autocomplete: 'current-password', required: true });
  const error = element('div', { className: 'error', textContent: words });
  error.setAttribute('role', 'alert');
  const form = element('form', { className: 'panel' },
    element('h1', { textContent: 'Programs' }),
    element('label', {}, 'Name', name), element('label', {}, 'Password', password), error,
    element('button', { className: 'main', textContent: 'Log in' }));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await call('login', { name: name.value, password: password.value });
      await showStart();
    } catch (failure) {
      error.textContent = failure.message;
      password.value = '';
      password.focus();
    }
  });
  main.replaceChildren(form);
  name.focus();
}

async function openProgram(path, body) {
  const { id, ticket } = await call(path, body);
  history.replaceState(null, '', `#program=${id}`);
  const program = new Program(main, id, () => { history.replaceState(null, '', '/programs/'); showStart(); });
  // For the tests and for people who look: the page has no secrets of its own.
  window.mainstayProgram = program;
  program.open(ticket);
}

function showPrograms({ user, programs, running, printed }) {
  document.title = 'Programs';
  const error = element('div', { className: 'error' });
  error.setAttribute('role', 'alert');
  const attempt = (action) => async () => {
    try { await action(); } catch (failure) { error.textContent = failure.message; }
  };
  const button = (textContent, action, label) => {
    const made = element('button', { type: 'button', textContent });
    if (label) made.setAttribute('aria-label', label);
    made.addEventListener('click', attempt(action));
    return made;
  };
  const start = programs.map(({ name, title, about }) => {
    const made = button(title, () => openProgram('programs', { name }), title);
    if (about) made.append(element('small', { textContent: about }));
    return element('li', {}, made);
  });
  const again = running.map(({ id, name, seconds }) => element('li', {},
    button(`${name} - running for ${seconds} s`, () => openProgram('attach', { id })),
    button('End', async () => { await call('end', { id }); setTimeout(showStart, 300); }, `End ${name}`)));
  const panel = element('div', { className: 'panel' }, element('h1', { textContent: 'Programs' }), element('ul', {}, ...start));
  if (again.length) panel.append(element('h2', { textContent: 'Running' }), element('ul', {}, ...again));
  if (printed.length) panel.append(element('h2', { textContent: 'Printed' }), element('ul', {}, ...printed.map(printedItem)));
  panel.append(error, button(`Log out ${user}`, async () => { await call('logout', {}); showLogin(); }));
  main.replaceChildren(panel);
  panel.querySelector('button').focus();
}

async function showStart() {
  const invitation = /^#invitation=(\w+)/.exec(location.hash)?.[1];
  if (invitation) {
    history.replaceState(null, '', '/programs/');
    try { await call('login', { invitation }); } catch (failure) { showLogin(failure.message); return; }
  }
  let state;
  try { state = await call('programs'); } catch (failure) { showLogin(failure.status === 401 ? '' : failure.message); return; }
  const id = /^#program=(\w+)$/.exec(location.hash)?.[1];
  if (id && state.running.some((program) => program.id === id)) {
    try { await openProgram('attach', { id }); return; } catch { /* The program has just ended: the list is next. */ }
  }
  showPrograms(state);
}

showStart();
