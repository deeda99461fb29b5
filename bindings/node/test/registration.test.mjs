// Mistakes of hosts: each gets a clear error at the call that made it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ClosedError,
  LimitError,
  PermissionDenied,
  UsageError,
  ResourceNotFound,
  Server,
  WellheadError,
} from 'wellhead';

const code = (word) => ({ code: `ERR_WELLHEAD_${word}` });
const registration = (word) => ({ name: 'UsageError', ...code(word) });
const invalid = (message) => ({ name: 'UsageError', ...code('INVALID_ARGUMENT'), message });
const nothing = () => undefined;

test('an invalid URI, an invalid template and a wrong name are refused', () => {
  const server = new Server('s', '1');
  assert.throws(() => server.text('no uri', ''), registration('INVALID_URI'));
  assert.throws(() => server.resource('no uri', nothing), registration('INVALID_URI'));
  assert.throws(() => server.resource('t:{a}{b}', nothing), registration('INVALID_TEMPLATE'));
  assert.throws(() => server.resource('t:}', nothing), registration('INVALID_TEMPLATE'));
  assert.throws(() => server.notifyUpdated('no uri'), registration('INVALID_URI'));
  assert.throws(() => server.list('', nothing), invalid(/name/));
  assert.throws(() => server.removeResource('t:none'), { ...registration('UNKNOWN'), message: /t:none/ });
});

test('the error for a duplicate or ambiguous template names the other registration', () => {
  const server = new Server('s', '1');
  server.text('t:a', '');
  server.resource('t:x/{a}', nothing);
  server.list('n', () => ({ items: [] }));
  assert.throws(() => server.text('t:a', ''), { ...registration('DUPLICATE'), message: /t:a/ });
  assert.throws(() => server.resource('t:a', nothing), registration('DUPLICATE'));
  assert.throws(() => server.resource('t:x/{a}', nothing), registration('DUPLICATE'));
  assert.throws(() => server.resource('t:x/{b}', nothing), {
    ...registration('AMBIGUOUS'),
    message: /\{a\}.*\{b\}|\{b\}.*\{a\}/,
  });
  assert.throws(() => server.list('n', () => ({ items: [] })), registration('DUPLICATE'));
});

test('the handle of a fixed resource replaces and removes it', () => {
  const server = new Server('s', '1');
  const about = server.text('t:about', 'one', { title: 'About' });
  assert.equal(about.registeredAs, 't:about');
  about.set('two');
  about.set(new Uint8Array([1]));
  assert.throws(() => about.set(7), invalid(/body/));
  about.remove();
  assert.throws(() => about.set('three'), registration('UNKNOWN'));
  assert.throws(() => about.remove(), registration('UNKNOWN'));
});

test('arguments of a wrong type are refused by name', () => {
  const server = new Server('s', '1');
  assert.throws(() => new Server(7, '1'), invalid(/name/));
  assert.throws(() => new Server('s'), invalid(/version/));
  assert.throws(() => new Server('s', '1', { title: 7 }), invalid(/title|wrong type/));
  assert.throws(() => new Server('s', '1', { onLog: 7 }), invalid(/onLog/));
  assert.throws(() => new Server('s', '1', { cursorKey: new Uint8Array(31) }), invalid(/32/));
  assert.throws(() => new Server('s', '1', { cursorKey: 'secret' }), invalid(/cursorKey/));
  assert.throws(() => new Server('s', '1', { limits: { pageItem: 1 } }), invalid(/pageItem/));
  for (const limit of [-1, 1.5, NaN, '1', null]) {
    assert.throws(() => new Server('s', '1', { limits: { pageItems: limit } }), invalid(/pageItems/));
  }
  assert.throws(() => server.text('t:a', 7), invalid(/body/));
  assert.throws(() => server.text(7, ''), invalid(/uri/));
  assert.throws(() => server.blob('t:a', 'text'), invalid(/body/));
  assert.throws(() => server.blob('t:a', [1]), invalid(/body/));
  assert.throws(() => server.text('t:a', '', { size: 1.5 }), invalid(/size|wrong type/));
  assert.throws(() => server.text('t:a', '', { annotations: { priority: 2 } }), invalid(/priority/));
  assert.throws(() => server.text('t:a', '', { meta: { traceparent: '' } }), invalid(/traceparent/));
  assert.throws(() => server.text('t:a', '', 'text/plain'), invalid(/options/));
  assert.throws(() => server.resource('t:a'), invalid(/read/));
  assert.throws(() => server.resource('t:a', {}), invalid(/read/));
  assert.throws(() => server.resource('t:a', { list: () => ({ items: [] }) }, nothing), invalid(/list/));
  assert.throws(() => server.resource('t:{a}', { list: 7 }, nothing), invalid(/list/));
  assert.throws(() => server.list({}), invalid(/source/));
  assert.throws(() => server.fallback(), invalid(/read/));
  assert.throws(() => server.fallback({ exists: true }, nothing), invalid(/exists/));
  assert.throws(() => server.resource('t:a', { exists: ['t:a'] }, nothing), invalid(/exists/));
  assert.throws(() => server.connect({ wake: 7 }), invalid(/wake/));
  assert.throws(() => server.removeResource(), invalid(/uriOrTemplate/));
  assert.throws(() => server.notifyUpdated(), invalid(/uri/));
});

test('after close() every change is refused with ClosedError, and close() may be repeated', async () => {
  const server = new Server('s', '1');
  const about = server.text('t:about', '');
  await server.close();
  await server.close();
  const closed = { name: 'ClosedError', ...code('CLOSED') };
  assert.throws(() => server.text('t:a', ''), closed);
  assert.throws(() => server.resource('t:{a}', nothing), closed);
  assert.throws(() => server.list(() => ({ items: [] })), closed);
  assert.throws(() => server.fallback(nothing), closed);
  assert.throws(() => server.notifyUpdated('t:a'), closed);
  assert.throws(() => server.notifyResourceListChanged(), closed);
  assert.throws(() => about.set(''), closed);
  assert.throws(() => about.remove(), closed);
  await assert.rejects(server.run(), closed);
  assert.equal(server.connect().finished, true);
});

test('all errors extend WellheadError and have codes', () => {
  for (const Class of [UsageError, ClosedError, LimitError, ResourceNotFound, PermissionDenied]) {
    assert(Class.prototype instanceof WellheadError, Class.name);
    assert.equal(Class.prototype.name, Class.name);
  }
  assert.equal(new ResourceNotFound().code, 'ERR_WELLHEAD_NOT_FOUND');
  assert.equal(new PermissionDenied('why').message, 'why');
});

test('a template that matches one segment only, where a path was probably meant, is a warning', () => {
  const lines = [];
  const server = new Server('s', '1', { onLog: (severity, line) => lines.push([severity, line]) });
  server.resource('file:///{path}', nothing);
  assert.equal(lines.length, 1);
  assert.equal(lines[0][0], 'warning');
  assert.match(lines[0][1], /\{\+path\}/);
});
