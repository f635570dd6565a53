export const courses = {
  title: 'Courses',
  status: {
    pending: 'Requested',
    active: 'Taking part',
    completed: 'Completed',
    cancelled: 'Cancelled',
  },
} as const;
