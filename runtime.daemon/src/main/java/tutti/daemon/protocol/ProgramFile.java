package tutti.daemon.protocol;

import java.util.List;

/**
 * A file of a program: a jar that goes to every node of the job.
 *
 * @param name   its last name, for messages
 * @param bytes  its length
 * @param sha256 of its bytes, in hex
 */
public record ProgramFile(String name, long bytes, String sha256) {

    /** Checks the values. */
    public ProgramFile {
        if (name == null || name.isEmpty() || name.length() > 255) {
            throw new IllegalArgumentException("name of a program file out of range: length=1..255");
        }
        if (bytes < 0 || bytes > Protocol.MAX_PROGRAM) {
            throw new IllegalArgumentException("program too large: file=" + name + ", bytes=" + bytes + ", max=" + Protocol.MAX_PROGRAM);
        }
        if (sha256 == null || sha256.length() != 64) {
            throw new IllegalArgumentException("digest of a program file missing: file=" + name);
        }
    }

    /**
     * Refuses more files or more bytes than a node takes.
     *
     * @return the files
     */
    public static List<ProgramFile> check(final List<ProgramFile> files) {
        if (files.size() > Protocol.MAX_FILES) {
            throw new IllegalArgumentException("too many program files: files=" + files.size() + ", max=" + Protocol.MAX_FILES);
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
