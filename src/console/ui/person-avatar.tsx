import { Avatar } from '@mantine/core';
import { nameOf } from './person-name.js';

interface PersonAvatarProps {
  person: { firstName: string; lastName: string; avatar: string | null };
}

/** Image of a person, or the initials. Hidden from screen readers, because the name stands beside it. */
export function PersonAvatar({ person }: PersonAvatarProps) {
  return (
    <span aria-hidden className="fixed-size">
      <Avatar src={person.avatar} name={nameOf(person)} alt="" size="sm" radius="xl" color="teal" />
    </span>
  );
}
