package tutti.daemon.security;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Role that the caller of a method of a conversation needs. On an interface: of all its methods that say nothing else. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Needs {
    /** Returns the role. */
    Role value();
}
