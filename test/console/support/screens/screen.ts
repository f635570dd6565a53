import type { Page } from '@playwright/test';
import type { User } from '../../../../src/db/models/user.js';

/** Who and what the screens show. */
export interface Scene {
  admin: User;
  trainer: User;
  trainee: User;
  /** Has to choose a password. */
  newcomer: User;
  /** Of the trainer; the trainee takes part. */
  courseId: string;
  /** With seats left, and without. */
  openCourseId: string;
  fullCourseId: string;
  /** Imports that wait to be confirmed, and that are done. */
  plannedId: string;
  importedId: string;
}

/** A screen, or a state of one: which address is opened, and what is done before it is looked at. */
export interface Screen {
  name: string;
  path(scene: Scene): string;
  /** Finds things by parts of their names: in some tests there are marks before and after the words. */
  prepare?(page: Page, scene: Scene): Promise<void>;
}
