import type { User } from '../../../../src/db/models/user.js';
import { linkedByWords } from '../../../../src/schemas/identity.js';
import type { LinkPurpose } from '../../../../src/schemas/mail.js';
import { storedWords } from '../../../../src/schemas/search-words.js';
import type { NewAccount } from '../../../../src/services/accounts/rows.js';
import type { Context } from '../../../../src/services/context.js';
import {
  buildCourse,
  buildEnrollment,
  buildGroup,
  buildIdentity,
  buildImage,
  buildMail,
  buildUser,
  calendarKeyOf,
  linkFor,
  tokenFor,
} from '../../../support/factories.js';

/** Account with everything that effects can end. */
export interface World {
  user: User;
  /** Session that may stay valid. */
  session: string;
}

const message = '{"message":"Welcome!"}';
const openStates = ['queued', 'sent', 'failed'];

/** Builds an account with everything that effects can end. */
export async function buildWorld(context: Context, given: Partial<NewAccount> = {}): Promise<World> {
  const user = await buildPerson(context, given);
  return furnish(context, user, { inviteState: given.inviteState ?? null });
}

/** Builds the account alone, with an image. */
export async function buildPerson(context: Context, given: Partial<NewAccount>): Promise<User> {
  const user = await buildUser(context, { firstName: 'Ada Mary', lastName: 'King', ...given });
  await buildImage(context, user, Buffer.from('image'));
  return user;
}

/**
 * Gives an account sessions, links, mails, a group and enrollments, which replace its existing ones.
 * @param options `enrolled`: with a seat in one course, and on the waiting list of another, full course
 */
export async function furnish(
  context: Context,
  user: User,
  { inviteState, enrolled = true }: { inviteState: User['inviteState']; enrolled?: boolean },
): Promise<World> {
  const { Calendar, Identity, Link, Mail, Session } = context.database.models;
  const where = { userId: user.id };
  await Link.destroy({ where });
  await Mail.destroy({ where });
  await Session.destroy({ where });
  await user.update({ inviteState }, { silent: true });
  const mail = { userId: user.id, priority: 0 };
  const invitation = { ...mail, kind: 'invitation', data: message };
  const state = inviteState === 'accepted' ? 'sent' : inviteState;
  // An inactive person gets the mail on activation.
  if (state !== null && (state !== 'queued' || user.isActive)) await buildMail(context, { ...invitation, state });
  for (const kind of ['email-confirm', 'email-notice', 'reset']) await buildMail(context, { ...mail, kind });
  const purposes: LinkPurpose[] = ['reset', 'email', 'email-cancel'];
  if (inviteState === 'sent') purposes.push('invite');
  for (const purpose of purposes) await linkFor(context, user, purpose);
  await buildGroup(context, [user.id]);
  const { id: groupId } = await buildGroup(context);
  const moments = { addedAt: new Date(0), leftAt: new Date(0) };
  const former = { groupId, userId: user.id, ...moments, createdAccount: true, deactivated: true };
  await context.database.models.FormerMember.create(former);
  await Identity.destroy({ where });
  for (const linkedBy of linkedByWords) await buildIdentity(context, user, { linkedBy });
  await Calendar.destroy({ where });
  await calendarKeyOf(context, user);
  await tokenFor(context, user);
  const { id: session } = await Session.findOne({ where, rejectOnEmpty: true });
  await tokenFor(context, user);
  if (enrolled) {
    const trainer = await buildUser(context, { role: 'trainer' });
    const course = (title: string) => buildCourse(context, trainer, { title, isPublished: true, maxStudents: 1 });
    await buildEnrollment(context, user, await course('active course'), { status: 'active' });
    const full = await course('waiting course');
    await buildEnrollment(context, await buildUser(context), full, { status: 'active' });
    await buildEnrollment(context, user, full, { status: 'waiting' });
  }
  return { user: await user.reload(), session };
}

/** Differences that a change makes. */
export interface Seen {
  sessions: 'all' | 'others' | 'none';
  /** Purposes of ended links. */
  links: readonly string[];
  /** Kinds of withdrawn mails. */
  withdrawn: readonly string[];
  /** Queued mails: kind, address if it isn't the account's, and message of an invitation. */
  queued: readonly string[];
  /** State of the invitation, if changed. */
  invitation?: string | null;
  /** Whether exactly the words of the names and the email are stored. */
  words: boolean;
  formerName: string | null;
  image: 'live' | 'marked' | 'gone';
  groups: 'kept' | 'left';
  calendar: 'kept' | 'revoked';
  /** Removed identities, by how they were linked. */
  unlinked: readonly string[];
  /** Whether a roster remembers that it deactivated the account. */
  deactivation: 'remembered' | 'forgotten';
  /** Courses in which a seat may be free. */
  seats: readonly string[];
}

/** Outcome of a change without effects. */
export const unaffected: Seen = {
  sessions: 'none',
  links: [],
  withdrawn: [],
  queued: [],
  words: true,
  formerName: null,
  image: 'live',
  groups: 'kept',
  calendar: 'kept',
  unlinked: [],
  deactivation: 'remembered',
  seats: [],
};

async function stored({ database: { models } }: Context, { id: userId }: User) {
  const where = { userId };
  const mails = await models.Mail.findAll({ where, order: ['id'] });
  const words = await models.AccountWord.findAll({ where: { accountId: userId }, raw: true });
  return {
    sessions: (await models.Session.findAll({ where })).map(({ id }) => id),
    links: (await models.Link.findAll({ where })).map(({ purpose }) => purpose as string),
    mails,
    words: words.map(({ word }) => word).sort(),
    user: await models.User.findByPk(userId),
    enrollments: await models.Enrollment.findAll({ where }),
    groups: await models.GroupMember.count({ where }),
    calendars: await models.Calendar.count({ where }),
    identities: (await models.Identity.findAll({ where })).map(({ linkedBy }) => linkedBy as string),
    deactivations: await models.FormerMember.count({ where: { ...where, deactivated: true } }),
    images: await models.StoredFile.findAll({ where }),
  };
}

const shown = ({ kind, address, data }: { kind: string; address: string | null; data: string }) =>
  [kind, ...(address === null ? [] : [`to ${address}`]), ...(data === message ? ['with its message'] : [])].join(' ');

/** Makes a change, and returns the differences. */
export async function seenAfter(
  context: Context,
  { user, session }: World,
  change: () => Promise<unknown>,
): Promise<Seen> {
  const { Course } = context.database.models;
  const before = await stored(context, user);
  context.freedSeats.take();
  await change();
  const after = await stored(context, user);
  const titles = await Course.findAll({ where: { id: context.freedSeats.take() }, order: ['title'] });
  const wasQueued = new Set(before.mails.filter(({ state }) => state === 'queued').map(({ id }) => id));
  const known = new Set(before.mails.map(({ id }) => id));
  const gone = before.mails.filter(({ id }) => !after.mails.some((mail) => mail.id === id));
  const withdrawn = after.mails.filter(({ id, state }) => wasQueued.has(id) && state === 'withdrawn');
  const sessions = after.sessions.length;
  const words = after.user ? storedWords(after.user).sort() : [];
  const state = after.user?.inviteState ?? null;
  return {
    sessions: sessions === before.sessions.length ? 'none' : after.sessions.includes(session) ? 'others' : 'all',
    links: before.links.filter((purpose) => !after.links.includes(purpose)).sort(),
    withdrawn: [...gone, ...withdrawn].map(({ kind }) => kind).sort(),
    queued: after.mails
      .filter(({ id, state: is }) => !known.has(id) && is === 'queued')
      .map(shown)
      .sort(),
    ...(after.user && openStates.includes(before.user?.inviteState ?? '') && state !== before.user?.inviteState
      ? { invitation: state }
      : {}),
    words: JSON.stringify(words) === JSON.stringify(after.words),
    formerName: after.enrollments[0]?.formerName ?? null,
    image: after.images[0] === undefined ? 'gone' : after.images[0].state === 'live' ? 'live' : 'marked',
    groups: after.groups === 0 ? 'left' : 'kept',
    calendar: after.calendars === 0 ? 'revoked' : 'kept',
    unlinked: before.identities.filter((linkedBy) => !after.identities.includes(linkedBy)).sort(),
    deactivation: after.deactivations === 0 ? 'forgotten' : 'remembered',
    seats: titles.map(({ title }) => title),
  };
}
