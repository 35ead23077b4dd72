package tutti.runtime.introspect;

import java.util.regex.Pattern;
import tutti.intercept.InterceptedRank;

/**
 * Report that an interceptor has made of a job.
 *
 * @param module    name of the interceptor
 * @param mediaType media type of the content
 * @param content   the report; whoever creates the record gives up the array
 */
public record InterceptorReport(String module, String mediaType, byte[] content) {
    private static final Pattern TYPE = Pattern.compile("[a-z]{1,20}/[a-z0-9.+-]{1,80}");

    /** Checks the media type and the length. */
    public InterceptorReport {
        if (!isMediaType(mediaType)) {
            throw new IllegalArgumentException("not a media type: mediaType=" + mediaType + ", expected one such as application/json");
        }
        if (content.length > InterceptedRank.MAX_REPORT) {
            throw new IllegalArgumentException("report too long: bytes=" + content.length + ", max=" + InterceptedRank.MAX_REPORT);
        }
    }

    /** Returns whether a text is a media type in lower case without parameters. */
    public static boolean isMediaType(final String text) {
        return TYPE.matcher(text).matches();
    }
}
