import type { Command } from 'commander';
import { AppError } from '../../../errors.js';
import type { PhoneConflict, Rekeyed } from '../../../services/accounts/rekey-phones.js';
import { define, type Registry } from '../../core/command.js';
import { exitCodes } from '../../core/exit-codes.js';
import { asTyped, counted } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';

const rekeyOptions = {
  '--country <country>': 'two letters, such as DE; "none" for none',
};

export function register(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'rekey-phones',
    schema: 'current',
    summary: 'Choose the country whose way of writing phones counts, for logins, imports and new accounts',
    examples: ['users rekey-phones --country DE', 'users rekey-phones --country none --json'],
    options: rekeyOptions,
    notes:
      'With DE, "+49 151 1234567", "0049 151 1234567" and "0151 1234567" are one phone. Phones stay as they are written. If two accounts would have the same phone, they are listed, and nothing is changed. The command can be repeated after an interruption.',
    async check(run) {
      const { assertCountry } = await import('../../../services/accounts/rekey-phones.js');
      await assertCountry(countryOf(run));
    },
    stopsItself: true,
    run: rekey,
  });
}

type RekeyRun = Run<'', typeof rekeyOptions>;

/** @returns null for none @throws AppError `USAGE` */
function countryOf({ options }: RekeyRun): string | null {
  const country = options.country?.trim().toUpperCase();
  if (country === undefined || country === '')
    throw new AppError('USAGE', 'Name a country with --country, such as --country DE, or --country none.');
  return country === 'NONE' ? null : country;
}

const accountOf = ({ firstName, lastName, email, phone }: PhoneConflict['accounts'][number]) =>
  `${firstName} ${lastName} <${email}>: ${phone}`;

function conflictText({ io }: RekeyRun, { conflicts, hasMore }: Rekeyed): string {
  const lines = conflicts.flatMap(({ key, accounts }) => [
    key,
    ...accounts.map((account) => `  ${accountOf(account)}`),
  ]);
  const many = counted(conflicts.length, 'phone') + (hasMore ? ' or more' : '');
  return [
    ...lines,
    '',
    `${many} would belong to several accounts. Nothing was changed.`,
    `Change the phone of all but one of them, then repeat the command: ${asTyped(io, 'users edit <user> --phone <phone>')}`,
  ].join('\n');
}

async function rekey(run: RekeyRun): Promise<Result> {
  const country = countryOf(run);
  const { rekeyPhones } = await import('../../../services/accounts/rekey-phones.js');
  const context = await run.context();
  const told = 10_000;
  const rekeyed = await rekeyPhones(context, country, {
    signal: run.io.signal,
    onBatch: (accounts) => {
      if (accounts % told === 0) run.say(`${accounts} accounts ...`);
    },
  });
  const { changed, conflicts, hasMore } = rekeyed;
  const json = { country, changed, conflicts, hasMoreConflicts: hasMore };
  if (conflicts.length > 0) return { json, text: conflictText(run, rekeyed), exitCode: exitCodes.failure };
  const chosen = country === null ? 'Phones have no country now' : `The country for phones is ${country} now`;
  return { json, text: `${chosen}. ${counted(changed, 'account')} got another key.` };
}
