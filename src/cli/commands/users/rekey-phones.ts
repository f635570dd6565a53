import { AppError } from '../../../errors.js';
import {
  assertCountry,
  type PhoneConflict,
  type Rekeyed,
  rekeyPhones,
} from '../../../services/accounts/rekey-phones.js';
import { exitCodes } from '../../core/command/exit-codes.js';
import type { Result, Run } from '../../core/command/run.js';
import { asTyped, counted } from '../../core/output/output.js';
import type { rekeyOptions } from './options.js';

type RekeyRun = Run<'', typeof rekeyOptions>;

/** @returns null for no country @throws AppError `USAGE` */
function countryOf({ options }: RekeyRun): string | null {
  const country = options.country?.trim().toUpperCase();
  if (country === undefined || country === '')
    throw new AppError('USAGE', 'Name a country with --country, such as --country DE, or --country none.');
  return country === 'NONE' ? null : country;
}

/** @throws AppError `USAGE` */
export const checkCountry = (run: RekeyRun): Promise<void> => assertCountry(countryOf(run));

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

/** Sets the country of phones. @throws the errors of {@link rekeyPhones} */
export async function rekey(run: RekeyRun): Promise<Result> {
  const country = countryOf(run);
  const context = await run.context();
  const rekeyed = await rekeyPhones(context, country, run.io.signal);
  const { changed, conflicts, hasMore } = rekeyed;
  const json = { country, changed, conflicts, hasMoreConflicts: hasMore };
  if (conflicts.length > 0) return { json, text: conflictText(run, rekeyed), exitCode: exitCodes.failure };
  const chosen = country === null ? 'Phones have no country now' : `The country for phones is ${country} now`;
  return { json, text: `${chosen}. ${counted(changed, 'account')} got another key.` };
}
