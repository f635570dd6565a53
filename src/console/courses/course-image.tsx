import { AspectRatio, Center, Image } from '@mantine/core';
import { IconBook2 } from '@tabler/icons-react';

/** Image of a course, or an icon if `thumbnail` is null or empty. No alternative text, because the title is beside it. */
export function CourseImage({ thumbnail, ratio = 16 / 9 }: { thumbnail: string | null; ratio?: number }) {
  return (
    <AspectRatio ratio={ratio}>
      {!thumbnail ? (
        <Center className="image-placeholder">
          <IconBook2 size={40} stroke={1.2} aria-hidden />
        </Center>
      ) : (
        <Image src={thumbnail} alt="" fit="cover" loading="lazy" />
      )}
    </AspectRatio>
  );
}
