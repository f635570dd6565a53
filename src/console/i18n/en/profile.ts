export const profile = {
  title: 'Profile',
} as const;
