import type { YesOption } from '../../core/confirm.js';

export interface CourseListOptions {
  category?: string;
  level?: string;
  type?: string;
  trainer?: string;
  published?: true;
  unpublished?: true;
  search?: string;
  sortBy?: string;
  sortOrder?: string;
  page?: string;
  limit?: string;
}

export interface TrainerListOptions {
  search?: string;
  page?: string;
  limit?: string;
}

export interface DeleteCourseOptions extends YesOption {
  force?: true;
}

/** What a course says of itself, as options give it. */
export interface CourseFieldOptions {
  title?: string;
  description?: string;
  shortDescription?: string;
  category?: string;
  level?: string;
  language?: string;
  type?: string;
  tag?: string[];
  requirements?: string;
  learningOutcomes?: string;
  maxStudents?: string;
  startDate?: string;
  endDate?: string;
  location?: string;
  featured?: boolean;
}

export interface CreateCourseOptions extends CourseFieldOptions {
  trainer?: string;
}

export interface FileListOptions {
  page?: string;
  limit?: string;
}

export interface GetFileOptions {
  output?: string;
}

export type RemoveFileOptions = YesOption;
