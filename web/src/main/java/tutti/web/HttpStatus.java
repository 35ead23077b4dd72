package tutti.web;

/** Statuses of answers (RFC 9110). */
final class HttpStatus {
    static final int OK = 200;
    static final int BAD_REQUEST = 400;
    static final int UNAUTHORIZED = 401;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int NOT_ALLOWED = 405;
    static final int CONFLICT = 409;
    static final int TOO_LARGE = 413;
    static final int WRONG_TYPE = 415;
    static final int MISDIRECTED = 421;
    static final int UNPROCESSABLE = 422;
    static final int UNAVAILABLE = 503;

    private HttpStatus() {}
}
