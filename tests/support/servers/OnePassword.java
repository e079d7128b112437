import javax.security.sasl.AuthenticationException;
import org.apache.hive.service.auth.PasswdAuthenticationProvider;

/** A server's own check of passwords: there is one. */
public class OnePassword implements PasswdAuthenticationProvider {
    @Override
    public void Authenticate(String user, String password) throws AuthenticationException {
        if (!"open sesame".equals(password)) {
            throw new AuthenticationException("nobody of that name and password");
        }
    }
}
