// What becomes of a kernel, as its signals tell it.

import type { ISessionContext } from '@jupyterlab/apputils';
import { Signal } from '@lumino/signaling';
import { expect, test } from 'vitest';
import { KernelMonitor } from '../src/kernelMonitor';

/** A session whose signals a test gives, and what was heard of it. */
function watched() {
  const kernel = { status: 'idle', connectionStatus: 'connected' };
  const source = {};
  const signals = {
    kernelChanged: new Signal<object, unknown>(source),
    statusChanged: new Signal<object, unknown>(source),
    connectionStatusChanged: new Signal<object, unknown>(source),
    iopubMessage: new Signal<object, unknown>(source)
  };
  const heard: string[] = [];
  const watch = new KernelMonitor({ session: { kernel }, ...signals } as unknown as ISessionContext, {
    onReplaced: () => heard.push('replaced'),
    onRestarted: ({ speaks }) => heard.push(speaks ? 'restarted by another' : 'restarted'),
    onDied: () => heard.push('died'),
    onIdle: () => heard.push('idle'),
    onConnection: connected => heard.push(connected ? 'connected' : 'away')
  });
  const is = (status: string) => {
    kernel.status = status;
    signals.statusChanged.emit(status);
  };
  const speaks = (session: string, parent: object = { session: 'mine' }) =>
    signals.iopubMessage.emit({ header: { session }, parent_header: parent });
  return { watch, heard, kernel, signals, is, speaks };
}

test('a kernel that speaks in the name of another process was restarted by somebody else', () => {
  const { heard, speaks } = watched();
  speaks('first');
  speaks('first');
  speaks('the server', {});
  expect(heard).toEqual([]);
  speaks('second');
  expect(heard).toEqual(['restarted by another']);
});

test('a restart of its own is told once: that the new kernel has another name is no second one', () => {
  const { heard, is, speaks } = watched();
  speaks('first');
  is('restarting');
  speaks('second');
  expect(heard).toEqual(['restarted']);
});

test('what a kernel is, and whether it can be reached, is told as it happens, until nobody wants to know', () => {
  const { watch, heard, kernel, signals, is } = watched();
  is('busy');
  is('idle');
  is('dead');
  kernel.connectionStatus = 'connecting';
  signals.connectionStatusChanged.emit('connecting');
  signals.kernelChanged.emit(null);
  expect(heard).toEqual(['idle', 'died', 'away', 'replaced']);
  watch.dispose();
  is('idle');
  expect(heard).toHaveLength(4);
});
