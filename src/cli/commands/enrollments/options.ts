import type { YesOption } from '../../core/confirm.js';

export interface EnrollmentListOptions {
  course?: string;
  user?: string;
  trainer?: string;
  status?: string;
  search?: string;
  page?: string;
  limit?: string;
}

export interface AssignOptions {
  status?: string;
  notes?: string;
}

export interface StatusOptions {
  notes?: string;
}

export type RemoveEnrollmentOptions = YesOption;
