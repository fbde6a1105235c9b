"""Folders of images, as they are or as a zip."""

import io
import stat
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath, PurePosixPath

from dml_viz.data.files._base import LABELS, File, FileError, Raw, Reader, check_unpacked_size, first_of, read_up_to_declared_size
from dml_viz.data.files._columns import check_size, frame_of, roles_in
from dml_viz.data.files._images import MOST_IMAGES, SUFFIXES, TABLES, TESTS, Encoded

LARGEST = 16 << 20  # bytes of one image
PATHS = ("file_name", "path")
SPLITS = {*TESTS, "train", "training", "images_background"}  # the last ones as Omniglot names them


class Folder(Reader):
    """Images whose folder is their class, or with a table that has a ``label`` for each ``file_name`` or ``path``.

    First folders called train, test or validation say which images are for training. Nothing is unpacked to a disk.
    """

    title = "a folder or zip of images: class/image.png, or with metadata.csv (file_name, label)"
    suffixes = (".zip",)

    @classmethod
    def takes(cls, files: Sequence[File]) -> bool:
        """Whether the files are a zip, or a folder with an image in it."""
        images = [file for file in files if file.suffix in SUFFIXES]
        return super().takes(files) or any(not PurePath(image.name).name.startswith("sprite") for image in images)

    def read(self, files: Sequence[File]) -> Raw:
        """The images, each still encoded, with their classes."""
        if files[0].suffix in self.suffixes:
            return _raw(*_members(files[0]), files[0].name)
        inside = {file.name: file for file in files}
        return _raw(list(inside), lambda name: inside[name].content, files[0].name.partition("/")[0])


def _members(file: File) -> tuple[list[str], Callable[[str], bytes]]:
    """The names of a zip's members, and a function that reads one; FileError for a zip that could do harm."""
    archive = zipfile.ZipFile(io.BytesIO(file.content))
    members = {member.filename: member for member in archive.infolist() if not member.is_dir()}
    for name, member in members.items():
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name or ":" in name:
            raise FileError(f"{name[:80]!r} of {file.name} lies outside its folder; zip the folder itself")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise FileError(f"{name} of {file.name} is a link to another file; zip the files themselves")
        if member.flag_bits & 1:
            raise FileError(f"{file.name} is locked with a password; zip it without one")
        if member.file_size > LARGEST:
            raise FileError(
                f"{name} of {file.name} unpacks to {member.file_size >> 20} MB; at most {LARGEST >> 20} are read of one"
            )
    check_unpacked_size(sum(member.file_size for member in members.values()), file.name)
    return list(members), lambda name: read_up_to_declared_size(archive, members[name])


def _raw(names: Iterable[str], content: Callable[[str], bytes], title: str) -> Raw:
    """Images and classes of the files ``names``; FileError where there are none."""
    paths = {name: PurePosixPath(name) for name in names}
    paths = {name: path for name, path in paths.items() if not any(p.startswith((".", "__MACOSX")) for p in path.parts)}
    images = [name for name, path in sorted(paths.items()) if path.suffix.lower() in SUFFIXES]
    if not images:
        raise FileError(f"{title} holds no images ({', '.join(SUFFIXES)}); bring a folder of them for each class")
    if len(images) > MOST_IMAGES:
        raise FileError(f"{title} has {len(images):,} images; at most {MOST_IMAGES:,} are read: leave whole classes out")
    tables = [name for name, path in paths.items() if path.suffix.lower() in TABLES]
    if tables:
        return _of_table(min(tables, key=lambda name: ("metadata" not in name, len(name))), images, content, title)
    folders = {name: paths[name].parts[:-1] for name in images}
    shared = _shared(list(folders.values()))
    folders = {name: parts[shared:] for name, parts in folders.items()}
    tests = None
    if all(len(parts) > 1 and parts[0].lower() in SPLITS for parts in folders.values()):
        tests = [parts[0].lower() in TESTS for parts in folders.values()]
        folders = {name: parts[1:] for name, parts in folders.items()}
    if shared and not any(folders.values()):
        raise FileError(
            f"all images of {title} lie in one folder, {paths[images[0]].parent.as_posix()!r}; use one folder for each class, or "
            "add metadata.csv with file_name and label"
        )
    if loose := [name for name, parts in folders.items() if not parts]:
        raise FileError(
            f"{loose[0]} of {title} lies in no folder of a class ({len(loose):,} such images); use one folder for each class, or "
            "add metadata.csv with file_name and label"
        )
    return Raw(None, ["/".join(parts) for parts in folders.values()], Encoded(images, content), tests=tests)


def _of_table(table: str, images: Sequence[str], content: Callable[[str], bytes], title: str) -> Raw:
    import pandas

    text = content(table)
    if table.lower().endswith(".jsonl"):
        check_size(text, f"{table} of {title}")
        frame = pandas.read_json(io.BytesIO(text), lines=True)
    else:
        frame = frame_of(text, f"{table} of {title}")
    columns = {str(name).strip().lower(): frame[name].tolist() for name in frame}
    files = [str(name).replace("\\", "/") for name in first_of(columns, PATHS, "names of files", f"{table} of {title}")]
    if not files:
        raise FileError(f"{table} of {title} has no rows; write one, file_name and label, for each image")
    labels = first_of(columns, (*LABELS, "text"), "labels", f"{table} of {title}")
    image_of = _image_of(files, table, images)
    if missing := [name for name in files if name not in image_of]:
        raise FileError(f"{table} of {title} names {missing[0]}, which is not there ({len(missing):,} such rows); add the images")
    return Raw(None, labels, Encoded([image_of[name] for name in files], content), None, *roles_in(columns))


def _image_of(files: Sequence[str], table: str, images: Sequence[str]) -> Mapping[str, str]:
    """The image that each of ``files`` names: relative to the table, or the only one whose path ends so."""
    known, folder = set(images), PurePosixPath(table).parent
    ends: dict[str, list[str]] = {}
    for name in images:
        parts = PurePosixPath(name).parts
        for k in range(len(parts)):
            ends.setdefault("/".join(parts[k:]), []).append(name)
    image_of = {}
    for name in files:
        near, alike = str(folder / name), ends.get(name.removeprefix("./"), [])
        if near in known or len(alike) == 1:
            image_of[name] = near if near in known else alike[0]
    return image_of


def _shared(folders: Sequence[tuple[str, ...]]) -> int:
    """The number of outer folders that all images share."""
    first = folders[0]
    return next((k for k in range(len(first)) if any(parts[: k + 1] != first[: k + 1] for parts in folders)), len(first))
