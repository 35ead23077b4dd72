package tutti.daemon.protocol;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * File of a program: a jar, or a staged file that the program reads, which is sent to every node of the job.
 *
 * @param name   file name without folders, under which the nodes store it
 * @param bytes  length in bytes
 * @param sha256 digest of its bytes, in hex
 * @param staged whether the program reads the file; otherwise it is a jar of the class path
 */
public record ProgramFile(String name, long bytes, String sha256, boolean staged) {

    /** Checks the values. */
    public ProgramFile {
        if (name == null || name.isEmpty() || name.length() > 255) {
            // Cause: the name of a file of `--file` or `--cp` is too long. Remedy: another name.
            throw new IllegalArgumentException("name of a program file out of range: length=1..255");
        }
        if (bytes < 0 || bytes > Protocol.MAX_PROGRAM) {
            throw new IllegalArgumentException("program too large: file=" + name + ", bytes=" + bytes + ", max=" + Protocol.MAX_PROGRAM);
        }
        if (sha256 == null || sha256.length() != 64) {
            // Cause: the job ended while a part of it was prepared.
            throw new IllegalArgumentException("digest of a program file missing: file=" + name);
        }
        if (!name.matches("[^/\\\\\\x00-\\x1f]+") || name.equals(".") || name.equals("..")) {
            // Cause: the name has a `/`. Remedy: a plain name.
            throw new IllegalArgumentException("not the name of a file in a folder: file=" + name);
        }
    }

    /** Creates a jar of the class path. */
    public ProgramFile(final String name, final long bytes, final String sha256) {
        this(name, bytes, sha256, false);
    }

    /** Returns this file as one that the program reads. */
    public ProgramFile asStaged() {
        return new ProgramFile(name, bytes, sha256, true);
    }

    /**
     * Checks the number and the total length of files against the maximum of a node.
     *
     * @return the files
     */
    public static List<ProgramFile> check(final List<ProgramFile> files) {
        if (files.size() > Protocol.MAX_FILES) {
            throw new IllegalArgumentException("too many program files: files=" + files.size() + ", max=" + Protocol.MAX_FILES);
        }
        final Set<String> staged = new HashSet<>();
        for (final ProgramFile file : files) {
            if (file.staged() && !staged.add(file.name())) {
                // Cause: two files of `--file`. Remedy: another name.
                throw new IllegalArgumentException("two staged files have the same name: file=" + file.name());
            }
        }
        long total = 0;
        for (final ProgramFile file : files) {
            total += file.bytes();
        }
        if (total > Protocol.MAX_PROGRAM) {
            throw new IllegalArgumentException("program too large: bytes=" + total + ", max=" + Protocol.MAX_PROGRAM);
        }
        return List.copyOf(files);
    }
}
