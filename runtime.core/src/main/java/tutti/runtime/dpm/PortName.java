package tutti.runtime.dpm;

import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The name of a port: where it is, and what a root shows to connect to it.
 *
 * @param host   host of a listener of the node that has the port
 * @param port   TCP port of that listener
 * @param job    identity of the job that opened it
 * @param number number of the port, in the part of the job on that node
 * @param secret proves that the name was told by the job, in hex
 */
record PortName(String host, int port, String job, int number, String secret) {
    private static final String PREFIX = "tutti";
    private static final int FIELDS = 7;

    /**
     * Reads the text of a name.
     *
     * @throws MpiFailure when it is not the name of a port, or that of another version
     */
    static PortName parse(final String text) {
        final String[] fields = text.split("\\|");
        if (fields.length < 2 || !fields[0].equals(PREFIX)) {
            // Remedy: the whole text that `openPort` returned.
            throw invalid(text, "expected a name that openPort or lookupName returned");
        }
        if (!fields[1].equals(Integer.toString(Meeting.VERSION))) {
            throw invalid(text, "it has version " + fields[1] + ", this job " + Meeting.VERSION + "; use the same release for both jobs");
        }
        try {
            if (fields.length == FIELDS) {
                return new PortName(fields[2], Integer.parseInt(fields[3]), fields[4], Integer.parseInt(fields[5]), fields[6]);
            }
        } catch (final NumberFormatException e) {
            throw invalid(text, "it was cut or changed");
        }
        throw invalid(text, "it was cut or changed");
    }

    private static MpiFailure invalid(final String text, final String why) {
        return new MpiFailure(ErrorClass.PORT, "not the name of a port: " + why + ": name=" + text);
    }

    @Override
    public String toString() {
        return String.join("|", PREFIX, Integer.toString(Meeting.VERSION), host, Integer.toString(port), job, Integer.toString(number), secret);
    }
}
