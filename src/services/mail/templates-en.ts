import type { MailTemplates } from './layout.js';

const greeting = ({ firstName }: { firstName: string }) => `Hello ${firstName},`;
const request = (count: number) => (count === 1 ? '1 request' : `${count} requests`);

const replyParagraphs = ({ reply }: { reply: string | null }, intro: string) =>
  reply === null ? [] : [intro, { quoted: reply }];
const messageIntro = 'A message for you:';
const replyIntro = 'The reply to your request:';

/** Returns how to use the link of an invitation. @param day day of the link's end */
const passwordHints = (day: string, email: string) => [
  `Please choose one before ${day}; the link works only once. If the link no longer works, ask for a new one on the sign-in page: “No password yet, or forgotten it?”`,
  'After that, sign in with this address:',
  { quoted: email },
];

export const en: MailTemplates = {
  locale: 'en-GB',
  turnOffLabel: 'Turn off these mails in your profile',
  letters: {
    invitation: (content, { programme, publicUrl, dateText }) => ({
      subject: `Your account with ${programme}`,
      greeting: greeting(content),
      before: [
        content.signInWith === null
          ? `${programme} has set up an account for you. Please choose a password to start.`
          : `${programme} has set up an account for you. You need no password: sign in with ${content.signInWith}.`,
        ...(content.message === null ? [] : [`A message from ${programme}:`, { quoted: content.message }]),
      ],
      button:
        content.signInWith === null
          ? { label: 'Set password', link: content.link }
          : { label: 'Open the sign-in page', link: `${publicUrl}/sign-in` },
      after: [
        ...(content.signInWith === null ? passwordHints(dateText(content.expiresAt), content.email) : []),
        "If you don't know what this is about, you can ignore this mail.",
      ],
    }),
    reset: (content, { programme, durationText }) => ({
      subject: `Set a new password for ${programme}`,
      greeting: greeting(content),
      before: [
        `With this link you set a new password for your account with ${programme}. You or an administrator asked for it.`,
      ],
      button: { label: 'Set new password', link: content.link },
      after: [
        `The link works for ${durationText(content.lifetimeMs)} after this mail was sent, and only once.`,
        "If you don't need a new password, you can ignore this mail: nothing changes without the link. Please don't pass it on.",
      ],
    }),
    'email-confirm': (content, { programme, durationText }) => ({
      subject: `Confirm your address for ${programme}`,
      greeting: 'Hello,',
      before: [
        `Somebody wants to use this address for an account with ${programme}. If that's you, please confirm it.`,
      ],
      button: { label: 'Confirm address', link: content.link },
      after: [
        `The link works for ${durationText(content.lifetimeMs)} after this mail was sent. Once you have confirmed, sign in with this address.`,
        "If it wasn't you, please ignore this mail: nothing changes without the link.",
      ],
    }),
    'email-notice': (content, { programme, durationText }) => ({
      subject: `Change of your address for ${programme}`,
      greeting: greeting(content),
      before: [
        `Your account with ${programme} will get a new address, once it is confirmed:`,
        { quoted: content.newEmail },
        'If that was you, open the mail that we have sent to the new address. You have nothing to do here.',
        "If it wasn't you, please cancel the change:",
      ],
      button: { label: 'Cancel the change', link: content.link },
      after: [
        `The link works for ${durationText(content.lifetimeMs)} after this mail was sent, even if the new address is in use by then. It gives your account this address back, ends all sessions and removes the password. You then get a mail to set a new password.`,
      ],
    }),
    'email-changed': (content, { programme }) => ({
      subject: `Your address for ${programme} has changed`,
      greeting: greeting(content),
      before: [
        `An administrator has changed the address of your account with ${programme}. It's now:`,
        { quoted: content.newEmail },
        'Please sign in with that address from now on.',
        `If you don't know why, please ask the administrators of ${programme} soon.`,
      ],
    }),
    'password-changed': (content, { programme, publicUrl }) => ({
      subject: `Your password for ${programme} has changed`,
      greeting: greeting(content),
      before: [
        `The password of your account with ${programme} has been changed. If that was you, you have nothing to do.`,
        "If it wasn't you, please ask for a new password on the sign-in page at once. Setting it ends all sessions of your account.",
      ],
      button: { label: 'Open the sign-in page', link: publicUrl },
      after: [`If that doesn't work, tell the administrators of ${programme}.`],
    }),
    'role-transferred': (content, { programme, publicUrl }) => ({
      subject: content.isNew
        ? `You are now super admin of ${programme}`
        : `You are no longer super admin of ${programme}`,
      greeting: greeting(content),
      before: content.isNew
        ? [
            `The rights of the super admin of ${programme} have passed from ${content.other} to you. You now manage all people and courses.`,
            `If you didn't expect this, please talk to ${content.other}.`,
          ]
        : [
            `The rights of the super admin of ${programme} have passed from you to ${content.other}.`,
            `If you didn't want this, tell ${content.other} and the people who run the server at once, and change your password.`,
          ],
      button: { label: 'Open the sign-in page', link: publicUrl },
    }),
    'sync-held': (content, { publicUrl }) => ({
      subject: `The list of “${content.group}” was not synchronised`,
      greeting: greeting(content),
      before: [
        `By the file ${content.file}, ${content.leaving} of ${content.members} members would leave the group “${content.group}”. That is more than the group allows, so nothing was changed.`,
        'Please check the file. If it is right, upload it under “Imports” with “Keep a group in step”: the plan names these people, and you can approve it there.',
        `At a terminal, approve it with: --allow-leaving ${content.leaving}`,
      ],
      button: { label: 'Open the sign-in page', link: publicUrl },
      after: ['Until a sync succeeds, you get no further mail about this group.'],
    }),
    test: (_content, { programme, publicUrl }) => ({
      subject: `Test mail from ${programme}`,
      greeting: 'Hello,',
      before: [
        `An administrator of ${programme} wanted to check that mails arrive. This mail has arrived.`,
        'Please check that the link opens the sign-in page:',
      ],
      button: { label: 'Open the sign-in page', link: publicUrl },
      after: ["If you didn't expect this mail, you can ignore it."],
    }),
    enrolled: (content, { programme, courseLink }) => ({
      subject: `You have a place in “${content.course}”`,
      greeting: greeting(content),
      before: [
        `You have a place in the course “${content.course}” of ${programme}.`,
        ...replyParagraphs(content, messageIntro),
      ],
      button: { label: 'Open the course', link: courseLink(content.courseId) },
    }),
    accepted: (content, { programme, courseLink }) => ({
      subject: `Accepted: your request for “${content.course}”`,
      greeting: greeting(content),
      before: [
        `Good news from ${programme}: your request was accepted. You have a place in “${content.course}”.`,
        ...replyParagraphs(content, replyIntro),
      ],
      button: { label: 'Open the course', link: courseLink(content.courseId) },
    }),
    moved_up: (content, { programme, courseLink }) => ({
      subject: content.isPending
        ? `You have moved up in “${content.course}”`
        : `You have a place in “${content.course}”`,
      greeting: greeting(content),
      before: [
        content.isPending
          ? `Good news from ${programme}: a place in “${content.course}” has become free and is reserved for you. Your request now waits for the trainer's reply.`
          : `Good news from ${programme}: you have moved up from the waiting list. You have a place in “${content.course}”.`,
      ],
      button: { label: 'Open the course', link: courseLink(content.courseId) },
      after: ['If you no longer want the place, please give it up there: somebody else may be waiting.'],
    }),
    refused: (content, { programme, courseLink }) => ({
      subject: `Your request for “${content.course}”`,
      greeting: greeting(content),
      before: [
        `Unfortunately, ${programme} can't give you a place in “${content.course}”.`,
        ...replyParagraphs(content, replyIntro),
      ],
      button: { label: 'Open the course', link: courseLink(content.courseId) },
    }),
    completed: (content, { programme, courseLink, certificateLink }) => ({
      subject: `You have completed “${content.course}”`,
      greeting: greeting(content),
      before: [
        `Congratulations! You have completed the course “${content.course}” of ${programme}.`,
        ...replyParagraphs(content, messageIntro),
      ],
      button:
        content.certificate === null
          ? { label: 'Open the course', link: courseLink(content.courseId) }
          : { label: 'Open the certificate', link: certificateLink(content.certificate) },
    }),
    requests: (content, { programme, publicUrl }) => ({
      subject: `${programme}: requests wait for your reply`,
      greeting: greeting(content),
      before: [
        'These requests for places in your courses wait for your reply:',
        { list: content.courses.map(({ title, count }) => `${title}: ${request(count)}`) },
        ...(content.more === 0 ? [] : [`There are requests in ${content.more} more of your courses.`]),
      ],
      button: { label: 'Answer requests', link: `${publicUrl}/enrollments?status=pending` },
    }),
  },
};
