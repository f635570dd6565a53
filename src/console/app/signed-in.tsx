import { notifications as notices, useNotifications } from '@mantine/notifications';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { lazyPart } from '../ui/lazy.js';
import { router } from './router.js';

const Notices = lazyPart(async () => (await import('./notices.js')).Notices);

/** What is shown behind signing in; its code is loaded then, and that of messages with the first one. */
export function SignedInPages() {
  const { notifications } = useNotifications();
  const [hasNotices, setHasNotices] = useState(false);
  // Those of the person who was signed in before, who may be another one.
  useEffect(() => notices.clean(), []);
  useEffect(() => {
    if (notifications.length > 0) setHasNotices(true);
  }, [notifications.length]);
  return (
    <>
      {hasNotices && <Notices />}
      <RouterProvider router={router} />
    </>
  );
}
