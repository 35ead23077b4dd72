package tutti.daemon.control;

import java.util.function.UnaryOperator;

/**
 * A parameter that a job may set.
 *
 * @param name    dotted, {@code coll.ring.segment} for one
 * @param value   what it is when the job does not set it; null when it then does not exist
 * @param problem what is wrong with a value, in words; null when nothing is
 */
public record Parameter(String name, String value, UnaryOperator<String> problem) { }
