package tutti.daemon.protocol;

import java.util.List;

/**
 * File of a program: a jar that is sent to every node of the job.
 *
 * @param name   file name without folders, for messages
 * @param bytes  length in bytes
 * @param sha256 digest of its bytes, in hex
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
     * Checks the number and the total length of files against the maximum of a node.
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
