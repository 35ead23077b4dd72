package tutti.daemon.membership;

/**
 * Settings of a node's membership.
 *
 * @param discovery     how the node finds others by itself
 * @param place         where: the folder of {@code FILE}, the group address of {@code MULTICAST} as {@code ADDRESS:PORT}, the host name of
 *                      {@code DNS}; otherwise empty
 * @param silenceMillis time without a sign of life after which a node is suspected whose host does not answer
 */
public record MembershipSettings(Discovery discovery, String place, long silenceMillis) {
    /** Time without a sign of life after which a node is suspected by default, in milliseconds. */
    public static final long SILENCE_MILLIS = 4_000;
    /** Settings of a node that finds others only when it joins them. */
    public static final MembershipSettings DEFAULT = new MembershipSettings(Discovery.LIST, "", SILENCE_MILLIS);

    /** Ways to find other nodes. */
    public enum Discovery {
        /** By the addresses of the nodes to join. */
        LIST,
        /** By files in a folder that all nodes share. */
        FILE,
        /** By IP multicast. */
        MULTICAST,
        /** By the addresses of a host name, such as that of a headless service of Kubernetes; all nodes listen on the same port. */
        DNS
    }

    /** Checks the values. */
    public MembershipSettings {
        if ((discovery == Discovery.LIST) != place.isEmpty()) {
            // Cause: the value of `--discovery` has another form.
            throw new IllegalArgumentException("not a discovery: expected list, file:FOLDER, multicast:ADDRESS:PORT or dns:NAME");
        }
        if (silenceMillis < 500 || silenceMillis > 600_000) {
            // Cause: the property is too small or too large. Remedy: a number of the range.
            throw new IllegalArgumentException("silence out of range: silence=" + silenceMillis + " ms, range=500..600000");
        }
    }

    /**
     * Parses {@code list}, {@code file:FOLDER}, {@code multicast:ADDRESS:PORT} or {@code dns:NAME}.
     *
     * @throws IllegalArgumentException when the text is none of them; the message is one line
     */
    public static MembershipSettings parse(final String discovery, final long silenceMillis) {
        final int colon = discovery.indexOf(':');
        final String kind = colon < 0 ? discovery : discovery.substring(0, colon);
        final String place = colon < 0 ? "" : discovery.substring(colon + 1);
        return new MembershipSettings(switch (kind) {
            case "list" -> Discovery.LIST;
            case "file" -> Discovery.FILE;
            case "multicast" -> Discovery.MULTICAST;
            case "dns" -> Discovery.DNS;
            // Cause: the value of `--discovery` has another form.
            default -> throw new IllegalArgumentException("unknown discovery: '" + kind + "', expected list, file:FOLDER, multicast:ADDRESS:PORT or "
                + "dns:NAME");
        }, place, silenceMillis);
    }
}
