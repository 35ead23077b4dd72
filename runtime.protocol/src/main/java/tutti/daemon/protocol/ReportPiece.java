package tutti.daemon.protocol;

import java.util.Objects;
import java.util.regex.Pattern;
import tutti.runtime.introspect.InterceptorReport;

/**
 * Piece of a report that an interceptor has made of a job; the pieces of a report are sent in their order.
 *
 * @param module    name of the interceptor
 * @param mediaType media type of the report
 * @param isLast    whether the report is complete with it
 * @param bytes     at most {@link Protocol#CHUNK} bytes; whoever creates a piece gives up the array
 */
public record ReportPiece(String module, String mediaType, boolean isLast, byte[] bytes) {
    private static final Pattern MODULE = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    /** Checks the texts, which a page sends on, and the length. */
    public ReportPiece {
        Objects.requireNonNull(bytes, "bytes");
        if (!MODULE.matcher(module).matches() || !InterceptorReport.isMediaType(mediaType) || bytes.length > Protocol.CHUNK) {
            throw new IllegalArgumentException("not a report: module=" + module + ", mediaType=" + mediaType + ", bytes=" + bytes.length);
        }
    }
}
