import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { bulkNotes } from '../../core/command/declaration.js';
import { changeOptions, listOptions } from './options.js';

export function register(program: Command, registry: Registry): void {
  const mail = program.command('mail').description('List, send, retry and withdraw mails');

  define(mail, registry, {
    usage: 'list',
    schema: 'current',
    stopsItself: false,
    summary: 'List waiting, sent, failed and withdrawn mails, newest first',
    examples: ['mail list --state failed', 'mail list --user ada@example.org', 'mail list --import 12 --json'],
    options: listOptions,
    load: () => import('./list.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(mail, registry, {
    usage: 'show <mail>',
    schema: 'current',
    stopsItself: false,
    summary: 'Show one mail: its recipient and state, but not its text',
    examples: ['mail show 5e1f02c6', 'mail show 5e1f02c6 --json'],
    load: () => import('./list.js').then(({ show }) => ({ run: show })),
  });

  define(mail, registry, {
    usage: 'retry [mail...]',
    schema: 'current',
    summary: 'Send failed and deferred mails again',
    examples: [
      'mail retry ada@example.org',
      'mail retry --state failed --kind invitation',
      'mail retry --import 12 --yes',
    ],
    options: changeOptions,
    notes: bulkNotes('mails'),
    load: () => import('./changes.js').then(({ checkFilters, retry }) => ({ check: checkFilters, run: retry })),
  });

  define(mail, registry, {
    usage: 'withdraw [mail...]',
    schema: 'current',
    summary: 'Withdraw waiting mails',
    examples: ['mail withdraw 5e1f02c6', 'mail withdraw --import 12', 'mail withdraw --state queued --yes --json'],
    options: changeOptions,
    notes: bulkNotes('mails'),
    load: () => import('./changes.js').then(({ checkFilters, withdraw }) => ({ check: checkFilters, run: withdraw })),
  });

  define(mail, registry, {
    usage: 'send',
    schema: 'current',
    stopsItself: true,
    summary: 'Send all due mails, if no service runs',
    examples: ['mail send', 'mail send --json'],
    notes: 'The service sends mails by itself.',
    load: () => import('./send.js').then(({ send }) => ({ run: send })),
  });

  define(mail, registry, {
    usage: 'test <address>',
    schema: 'any',
    missingDatabase: 'reported',
    summary: 'Send a test mail immediately, and show the response of the mail server',
    examples: ['mail test me@example.org'],
    load: () => import('./send.js').then(({ checkTest, test }) => ({ check: checkTest, run: test })),
  });
}
