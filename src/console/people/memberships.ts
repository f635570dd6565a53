import type { TFunction } from 'i18next';
import type { ResponseBody } from '../api/client.js';
import { refusalText } from '../ui/messages.js';
import type { Outcome } from './bulk-actions.js';

/** Maximum of people in one change of members. */
export const maxMemberChanges = 1000;

/** Converts the outcomes of adding people to a group. */
export const outcomesOfAdding = (
  outcomes: ResponseBody<'changeMembers'>['outcomes'],
  t: TFunction,
): readonly Outcome[] =>
  outcomes.map(({ id, name, outcome, code }): Outcome => {
    if (outcome === 'unchanged') return { id, name, outcome, reason: t('people.groups.already') };
    if (code === 'SUPER_ADMIN_PROTECTED') return { id, name, outcome, reason: t('people.groups.noAdmin') };
    return { id, name, outcome, reason: code === null ? null : refusalText({ code }, t) };
  });
