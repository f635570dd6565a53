import type { Transaction } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import { readWaitingPlaces } from '../../db/sql/waiting-list.js';
import type { Core } from '../core.js';

/** Adds their places to enrollments that wait, with one query for all of them; with none where nobody waits. */
export async function addWaitingPlaces(
  { database }: Core,
  enrollments: readonly Enrollment[],
  transaction?: Transaction,
): Promise<void> {
  const waiting = enrollments.filter(({ status }) => status === 'waiting');
  if (waiting.length === 0) return;
  const find = () => readWaitingPlaces(database, waiting, transaction);
  const places = await (transaction ? find() : database.read(find));
  for (const enrollment of waiting) enrollment.waitingPlace = places.get(enrollment.id);
}
