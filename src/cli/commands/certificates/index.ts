import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { yesOption } from '../../core/command/declaration.js';
import { certificateListOptions } from './output.js';

export function register(program: Command, registry: Registry): void {
  const certificates = program.command('certificates').description('List, show and revoke certificates of completion');

  define(certificates, registry, {
    usage: 'list',
    schema: 'any',
    summary: 'List certificates, newest first',
    examples: [
      'certificates list --course "Weaving for beginners"',
      'certificates list --trainee ada@example.org --valid',
      'certificates list --revoked --json',
    ],
    options: certificateListOptions,
    load: () => import('./queries.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(certificates, registry, {
    usage: 'show <code>',
    schema: 'any',
    summary: 'Show one certificate, valid or revoked',
    examples: ['certificates show 7K2M-9QWX-0D4T-ZB6N-H3VE-8RSA-1CPJ'],
    load: () => import('./queries.js').then(({ show }) => ({ run: show })),
  });

  define(certificates, registry, {
    usage: 'revoke <code>',
    schema: 'current',
    summary: 'Revoke a certificate; the enrollment stays completed',
    examples: ['certificates revoke 7K2M-9QWX-0D4T-ZB6N-H3VE-8RSA-1CPJ --yes'],
    options: yesOption,
    notes: 'To issue a new certificate, set the enrollment to active, then to completed.',
    load: () => import('./revoke.js').then(({ revoke }) => ({ run: revoke })),
  });
}
